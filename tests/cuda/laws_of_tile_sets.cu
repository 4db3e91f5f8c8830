// SPDX-License-Identifier: Apache-2.0
// The battery on a GPU: tile sets beyond 32 bits, and without memory. The compiler optimises less here
// (tests/CMakeLists.txt); formulas, which know no block size, are compiled for any.

#include <gtest/gtest.h>

#include "cuda/law_tests.hpp"
#include "cuda/one_size.hpp"

namespace evenly::laws {
namespace {

class LawsOfTileSetsOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOfTileSetsOnCuda, testing::Values(1, 32, 96, 128, 256, 512, 1024));

TEST_P(LawsOfTileSetsOnCuda, HoldBeyond32Bits) { on(GetParam()).run_beyond_32_bits(); }

TEST_P(LawsOfTileSetsOnCuda, HoldOnFormulas) {
  battery(cuda_of_any_size(), "cuda, compiled for any block size", GetParam()).run_formulas();
}

} // namespace
} // namespace evenly::laws
