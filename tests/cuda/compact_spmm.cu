// SPDX-License-Identifier: Apache-2.0
// Sparse times dense in 16 bits on a GPU: the laws of sparse/compact_spmm_laws.hpp.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "sparse/compact_spmm_laws.hpp"

namespace evenly::products {
namespace {

TEST(ReducedCompactSpmmOnCuda, RoundsExactSumsOnce) {
  expect_stored_products(cuda_of_any_size(), merge_path{}, {3, 8}, "merge_path");
}
TEST(CompactSpmmOnCuda, RoundsExactSumsOnce) {
  expect_stored_products(cuda_of_any_size(), merge_path{}, {1, 32, 100, 128, 512}, "merge_path");
}

} // namespace
} // namespace evenly::products
