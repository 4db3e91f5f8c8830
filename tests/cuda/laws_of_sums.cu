// SPDX-License-Identifier: Apache-2.0
// The battery on a GPU: reduce_tiles of map(atom), of values of 4 and 8 bytes, compiled as users compile it.

#include <gtest/gtest.h>

#include "cuda/law_tests.hpp"

namespace evenly::laws {
namespace {

constexpr unsigned sums = depth::floats | depth::maps;

class LawsOfSumsOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOfSumsOnCuda, block_sizes_on_cuda);

TEST_P(LawsOfSumsOnCuda, HoldOnAdversarialTileSets) { hold_on_adversarial_tile_sets<sums>(GetParam()); }

TEST_P(LawsOfSumsOnCuda, HoldOnASlice) { hold_on_a_slice<sums>(GetParam()); }

TEST(LawsOfSumsOnCudaOnce, HoldOnRandomTileSets) { hold_on_random_tile_sets<sums>(); }

TEST(LawsOfSumsOnCudaOnce, HoldOnMillionsOfTilesAndAtoms) { hold_on_millions_of_tiles_and_atoms<sums>(); }

TEST(ReducedLawsOfSumsOnCuda, Hold) { hold_on_few_tile_sets<sums>(); }

class LawsOfSumsOnCudaOfManyBlocks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOfSumsOnCudaOfManyBlocks, testing::Values(1, 8, 32));

TEST_P(LawsOfSumsOnCudaOfManyBlocks, Hold) { hold_with_many_blocks<sums>(GetParam()); }

TEST(LawsOfSumsOnCudaOnce, HoldWithManyBlocksOfTheUsualSize) {
  hold_with_many_blocks_of_the_usual_size<sums>();
}

TEST(ReducedLawsOfSumsOnCuda, HoldWithManyBlocks) { hold_with_few_giants<sums>(); }

} // namespace
} // namespace evenly::laws
