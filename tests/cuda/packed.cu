// SPDX-License-Identifier: Apache-2.0
// Packed columns on a GPU: the laws of sparse/packed_laws.hpp.

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "sparse/packed_laws.hpp"

namespace evenly::products {
namespace {

TEST(ReducedPackedColumnsOnCuda, AreWhatTheyWere) { expect_columns_again(cuda_of_any_size()); }
TEST(ReducedPackedColumnsOnCuda, ChangeNoBit) {
  const cuda_of_any_size exec;
  expect_packed_products(exec, merge_path{}, "merge_path");
  expect_packed_products(exec, dynamic_group_per_tile{}, "dynamic_group_per_tile");
}

} // namespace
} // namespace evenly::products
