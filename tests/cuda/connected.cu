// SPDX-License-Identifier: Apache-2.0
// connected_components on a GPU: graph/connected_laws.hpp.

#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/connected_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ConnectedComponentsOnCuda, KeepTheLaws) {
  expect_connected_of_all_kinds(evenly::cuda());
  expect_connected(evenly::cuda(), chain_of_stars(6, 50'000, false));
  expect_connected(evenly::cuda(), chain_of_stars(6, 50'000, true));
  expect_connected(evenly::cuda(), random_graph(200'000, 100'000, 5));
  expect_connected(evenly::cuda(), random_graph(200'000, 900'000, 6));
}

/// Threads that link the same trees: no label may be lost.
TEST(ConnectedComponentsOnCuda, AreTheSameOnEveryRun) {
  graph grid(evenly::cuda(), in_both_directions(grid_graph(400, 300)).view());
  grid.set_undirected();
  const auto labels = make_buffer<int>(evenly::cuda(), 400 * 300);
  for (int run = 0; run < 200; ++run) {
    connected_components(grid, labels.span());
    ASSERT_EQ(to_host(evenly::cuda(), labels), std::vector<int>(400 * 300)) << "run " << run;
  }
}

/// For tools that take long.
TEST(ReducedConnectedComponentsOnCuda, KeepTheLaws) {
  expect_connected(evenly::cuda(), chain_of_stars(3, 100, true));
  expect_connected(evenly::cuda(), random_graph(300, 200, 1));
}

} // namespace
} // namespace evenly::graph_tests
