// SPDX-License-Identifier: Apache-2.0
// dfs, reachable and strong_components on a GPU: graph/traversal_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/traversal_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(TraversalsOnCuda, KeepTheLaws) {
  expect_traversals_of_all_kinds(evenly::cuda());
  expect_traversals(evenly::cuda(), scattered_graph(20'000), 0);
  expect_traversals(evenly::cuda(), chain_of_rings(2000, 3), 0);
  expect_dfs(evenly::cuda(), path_graph(20'000), 0);
}

/// For tools that take long.
TEST(ReducedTraversalsOnCuda, KeepTheLaws) { expect_traversals(evenly::cuda(), uneven_graph(120), 0); }

} // namespace
} // namespace evenly::graph_tests
