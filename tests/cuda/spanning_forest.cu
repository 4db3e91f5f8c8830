// SPDX-License-Identifier: Apache-2.0
// minimum_spanning_forest on a GPU: graph/forest_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/forest_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(SpanningForestOnCuda, IsThatOfKruskal) {
  expect_forests_of_all_kinds(evenly::cuda());
  expect_forest(evenly::cuda(), weighted_graph(200'000, 300'000, 1000, 5));
  expect_forest(evenly::cuda(), weighted_graph(20'000, 800'000, 1'000'000, 6));
  expect_forest(evenly::cuda(), grid_graph(400, 300));
}

/// Threads that lower the same minima: no edge may be lost.
TEST(SpanningForestOnCuda, IsTheSameOnEveryRun) {
  const auto g = simple_graph(graph(evenly::cuda(), weighted_graph(5000, 60'000, 50, 1).view()));
  const auto expected = forest_by_kruskal(evenly::cuda(), g);
  for (int run = 0; run < 100; ++run) ASSERT_EQ(forest_of(evenly::cuda(), g), expected) << "run " << run;
}

/// For tools that take long.
TEST(ReducedSpanningForestOnCuda, IsThatOfKruskal) {
  expect_forest(evenly::cuda(), weighted_graph(200, 4000, 100, 2));
  expect_forest(evenly::cuda(), weighted_graph(300, 200, 5, 1));
}

} // namespace
} // namespace evenly::graph_tests
