// SPDX-License-Identifier: Apache-2.0
// Transposes and sums of sparse matrices on a GPU: the laws of sparse/transpose_laws.hpp.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "sparse/transpose_laws.hpp"

namespace evenly::products {
namespace {

TEST(ReducedTransposeOnCuda, HasEntriesInTheOrderOfTheirRows) { expect_transposes(cuda()); }

TEST(ReducedAddOnCuda, SumsUpEntriesInTheirOrder) { expect_sums(cuda_of_any_size()); }

} // namespace
} // namespace evenly::products
