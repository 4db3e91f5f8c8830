// SPDX-License-Identifier: Apache-2.0
// The battery on a GPU: reduce_tiles of values of 1, 12 and 20 bytes, whose order counts. The compiler optimises less
// here (tests/CMakeLists.txt).

#include <gtest/gtest.h>

#include "cuda/law_tests.hpp"

namespace evenly::laws {
namespace {

constexpr unsigned small = depth::stretches | depth::bytes;
constexpr unsigned values = small | depth::matrices;

class LawsOfValuesOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOfValuesOnCuda, block_sizes_on_cuda);

TEST_P(LawsOfValuesOnCuda, HoldOnAdversarialTileSets) { hold_on_adversarial_tile_sets<small>(GetParam()); }

TEST_P(LawsOfValuesOnCuda, HoldOnASlice) { hold_on_a_slice<small>(GetParam()); }

/// The largest blocks have storage for values of up to 16 bytes.
class LawsOfLargeValuesOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOfLargeValuesOnCuda, testing::Values(1, 32, 100, 128, 512));

TEST_P(LawsOfLargeValuesOnCuda, HoldOnAdversarialTileSets) {
  hold_on_adversarial_tile_sets<depth::matrices>(GetParam());
}

TEST(LawsOfValuesOnCudaOnce, HoldOnRandomTileSets) { hold_on_random_tile_sets<values>(); }

TEST(LawsOfValuesOnCudaOnce, HoldOnMillionsOfTilesAndAtoms) { hold_on_millions_of_tiles_and_atoms<values>(); }

TEST(ReducedLawsOfValuesOnCuda, Hold) { hold_on_few_tile_sets<values>(); }

class LawsOfValuesOnCudaOfManyBlocks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOfValuesOnCudaOfManyBlocks, testing::Values(1, 8, 32));

TEST_P(LawsOfValuesOnCudaOfManyBlocks, Hold) { hold_with_many_blocks<values>(GetParam()); }

TEST(LawsOfValuesOnCudaOnce, HoldWithManyBlocksOfTheUsualSize) {
  hold_with_many_blocks_of_the_usual_size<values>();
}

TEST(ReducedLawsOfValuesOnCuda, HoldWithManyBlocks) { hold_with_few_giants<values>(); }

} // namespace
} // namespace evenly::laws
