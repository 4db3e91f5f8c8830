// SPDX-License-Identifier: Apache-2.0
// The battery on a GPU where blocks leave tiles to each other: values of all sizes, more than 256 and more than 2,048
// blocks, and giants that span groups of them. Tile sets beyond 32 bits and without memory are here too, for compile
// time's sake.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "laws/battery.hpp"

namespace evenly::laws {
namespace {

battery<cuda> on(int block_size) { return {cuda(), "cuda", block_size}; }

class LawsOnCudaWithManyBlocks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOnCudaWithManyBlocks, testing::Values(1, 8, 32));

TEST_P(LawsOnCudaWithManyBlocks, Hold) { on(GetParam()).run_all<depth::sizes>(tile_sets_of_many_blocks); }

TEST(LawsOnCuda, HoldWithManyBlocksOfTheUsualSize) {
  const auto sets = [](std::int64_t items) {
    return std::vector{
        tile_sizes().add(3).add(200 * items).add(9, 0).add(300 * items).named("giants in one launch"),
        tile_sizes().add(8, 300 * items + 1).add(items, 1).named("giants joined later")};
  };
  on(128).run_all<depth::sizes>(sets);
}

class LawsOnCudaElsewhere : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOnCudaElsewhere, testing::Values(1, 32, 96, 128, 256, 1024));

TEST_P(LawsOnCudaElsewhere, HoldBeyond32BitsAndOnFormulas) {
  on(GetParam()).run_beyond_32_bits();
  on(GetParam()).run_formulas();
}

TEST(ReducedLawsOnCuda, HoldWithManyBlocks) {
  on(1).run_all<depth::sizes>([](std::int64_t items) {
    return std::vector{
        tile_sizes().add(260 * items).add(5, 0).add(9).named("a giant over a group of blocks"),
        tile_sizes().add(2060 * items).add(5, 0).add(9).named("a giant over groups of blocks")};
  });
}

} // namespace
} // namespace evenly::laws
