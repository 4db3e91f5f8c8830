// SPDX-License-Identifier: Apache-2.0
// The battery on a GPU: tile sets beyond 32 bits, and without memory. The compiler optimises less here
// (tests/CMakeLists.txt), and kernels are compiled for any block size only.

#include <gtest/gtest.h>

#include "cuda/law_tests.hpp"

namespace evenly::laws {
namespace {

class LawsOfTileSetsOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, LawsOfTileSetsOnCuda, testing::Values(1, 32, 96, 128, 256, 512, 1024));

TEST_P(LawsOfTileSetsOnCuda, HoldBeyond32Bits) { on_any(GetParam()).run_beyond_32_bits(); }

TEST_P(LawsOfTileSetsOnCuda, HoldOnFormulas) { on_any(GetParam()).run_formulas(); }

} // namespace
} // namespace evenly::laws
