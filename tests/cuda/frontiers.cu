// SPDX-License-Identifier: Apache-2.0
// Lists, pieces and frontiers on a GPU: algorithms/frontier_laws.hpp.

#include <gtest/gtest.h>

#include "algorithms/frontier_laws.hpp"
#include "cuda/one_size.hpp"

namespace evenly::laws {
namespace {

TEST(ReducedFrontiersOnCuda, KeepTheLaws) {
  expect_laws_on_sources(cuda_of_any_size(), "merge_path", merge_path<>{});
}

TEST(ReducedFrontiersOnCuda, FindVerticesAtTheirLevels) {
  const cuda_of_any_size exec;
  expect_search_on_device(exec, "merge_path, in any order", merge_path<>{}, in_any_order);
  expect_search_on_device(exec, "group_mapped<32>, in any order", group_mapped<32>{}, in_any_order);
  expect_search_on_device(exec, "nonzero_split, in order", nonzero_split<>{});
  expect_search_by_plans(exec, "dynamic_group_per_tile", dynamic_group_per_tile{});
}

} // namespace
} // namespace evenly::laws
