// SPDX-License-Identifier: Apache-2.0
// The laws on the simulated GPU: every skeleton, with values of 4, 8 and 12 bytes.

#include <cstdint>
#include <tuple>

#include <gtest/gtest.h>

#include "laws/battery.hpp"
#include "laws/on_simt.hpp"
#include "support/sanitized.hpp"

namespace evenly::laws {
namespace {

class LawsOnSimt : public on_shapes {};
INSTANTIATE_TEST_SUITE_P(Sizes, LawsOnSimt, testing::ValuesIn(on_shapes::all()), on_shapes::name);

/// The block and the warp that GPUs usually have meet all sets under all skeletons. Other shapes meet every second set.
/// Schedules that give a block one tile at a time need all threads of the block for each tile: where that is dear only
/// the skeletons of depth::basic run, and where it is very dear none.
TEST_P(LawsOnSimt, HoldOnAdversarialTileSets) {
  const bool as_on_a_gpu = warp_size() == 32 && block_size() == (sanitized ? 32 : 128);
  const int dearness = warp_size() == 1 ? 4 : 1; // every thread goes through the sums of all warps
  const auto cost = [&](const named_tiles& set) { return std::ssize(set.offsets) * block_size() * dearness; };
  const auto affordable = [&](std::int64_t items) {
    auto sets = adversarial_tile_sets(items);
    if (!as_on_a_gpu) sets = every_second(sets, parity());
    std::erase_if(sets, [&](const named_tiles& set) {
      return !as_on_a_gpu && cost(set) > (sanitized ? 200'000 : 400'000);
    });
    return sets;
  };
  here().run_all<depth::whole>(affordable,
                               [&](const named_tiles& set) { return !as_on_a_gpu && cost(set) > 50'000; });
}

TEST_P(LawsOnSimt, HoldOnASlice) { here().run_slice<depth::whole>(random_runs(60, 7 * block_size(), 5), 9); }

class LawsOnSimtWithManyBlocks : public testing::TestWithParam<std::tuple<int, int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, LawsOnSimtWithManyBlocks, many_blocks_on_simt);

TEST_P(LawsOnSimtWithManyBlocks, Hold) {
  const auto [block_size, warp_size, seed] = GetParam();
  on(block_size, warp_size, seed).run_all<depth::whole & depth::sizes>([seed](std::int64_t items) {
    return every_second(tile_sets_of_many_blocks(items), seed % 2);
  });
}

TEST(LawsOnSimt, HoldForRandomTileSetsAndInterleavings) {
  for (int seed = 1; seed <= (sanitized ? 4 : 10); ++seed) {
    const int block_size = 1 + static_cast<int>(mixed(seed) % 130), warp_size = 1 << mixed(seed + 100) % 7;
    on(block_size, warp_size, seed).run<depth::whole>(random_runs(100, 10 * block_size, seed));
  }
}

} // namespace
} // namespace evenly::laws
