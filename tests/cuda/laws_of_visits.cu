// SPDX-License-Identifier: Apache-2.0
// The battery on a GPU: for_each_atom, expand, and reduce_tiles of map(tile, atom), compiled as users compile it.

#include <gtest/gtest.h>

#include "cuda/law_tests.hpp"

namespace evenly::laws {
namespace {

constexpr unsigned visits = depth::ranks | depth::visits | depth::expansion | depth::words;

class LawsOfVisitsOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOfVisitsOnCuda, block_sizes_on_cuda);

TEST_P(LawsOfVisitsOnCuda, HoldOnAdversarialTileSets) { hold_on_adversarial_tile_sets<visits>(GetParam()); }

TEST_P(LawsOfVisitsOnCuda, HoldOnASlice) { hold_on_a_slice<visits>(GetParam()); }

TEST(LawsOfVisitsOnCudaOnce, HoldOnRandomTileSets) { hold_on_random_tile_sets<visits>(); }

TEST(LawsOfVisitsOnCudaOnce, HoldOnMillionsOfTilesAndAtoms) { hold_on_millions_of_tiles_and_atoms<visits>(); }

TEST(ReducedLawsOfVisitsOnCuda, Hold) { hold_on_few_tile_sets<visits>(); }

} // namespace
} // namespace evenly::laws
