// SPDX-License-Identifier: Apache-2.0
// Lists, pieces and frontiers (frontier_laws.hpp) on the CPU and on the simulated GPU.

#include <gtest/gtest.h>

#include "algorithms/frontier_laws.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"

namespace evenly::laws {
namespace {

TEST(Frontiers, KeepTheLaws) {
  const cpu exec(3);
  expect_laws_on_sources(exec, "merge_path", merge_path<>{});
  expect_laws_on_sources(exec, "group_mapped<32>", group_mapped<32>{});
}

TEST(Frontiers, FindVerticesAtTheirLevels) {
  const cpu exec(3);
  expect_search_on_device(exec, "merge_path, in any order", merge_path<>{}, in_any_order);
  expect_search_on_device(exec, "merge_path, in order", merge_path<>{});
  expect_search_by_plans(exec, "dynamic_group_per_tile", dynamic_group_per_tile{});
}

TEST(Frontiers, StayWithinTheirCapacity) { expect_capacities_of_plans_kept(cpu(3)); }

TEST(FrontiersOnSimt, KeepTheLaws) {
  const simt exec({.warp_size = 32});
  expect_laws_on_sources(exec, "merge_path", merge_path<>{});
}

TEST(FrontiersOnSimt, FindVerticesAtTheirLevels) {
  const simt exec({.warp_size = 32, .seed = 1});
  expect_search_on_device(exec, "merge_path, in any order", merge_path<>{}, in_any_order);
  expect_search_on_device(exec, "group_mapped<32>, in order", group_mapped<32>{});
  expect_search_by_plans(exec, "dynamic_group_per_tile", dynamic_group_per_tile{});
}

TEST(FrontiersOnSimt, StayWithinTheirCapacity) { expect_capacities_of_plans_kept(simt({.warp_size = 32})); }

} // namespace
} // namespace evenly::laws
