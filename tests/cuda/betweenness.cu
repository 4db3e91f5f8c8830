// SPDX-License-Identifier: Apache-2.0
// betweenness on a GPU: graph/betweenness_laws.hpp.

#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "graph/betweenness_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BetweennessOnCuda, KeepsTheLaws) {
  expect_betweenness_of_all_kinds(evenly::cuda());
  expect_betweenness(evenly::cuda(), random_graph(20'000, 300'000, 5), {0, 77, 19'999});
  expect_betweenness(evenly::cuda(), star_graph(5000), {3});
}

TEST(BetweennessOnCuda, CountsManyPaths) {
  expect_betweenness(evenly::cuda(), chain_of_diamonds(1500), {0, 2250});
  expect_betweenness(evenly::cuda(), grid_graph(600, 600), {0});
}

TEST(BetweennessOnCuda, HasTheSameBitsOnEveryRun) {
  const test_graph<int> g = uneven_graph(20'000);
  const std::vector<int> sources{0, 7, 11'000};
  const std::vector<double> first = betweenness_on(evenly::cuda(), g, sources);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(betweenness_on(evenly::cuda(), g, sources), first);
}

/// For tools that take long.
TEST(ReducedBetweennessOnCuda, KeepsTheLaws) {
  expect_betweenness(evenly::cuda(), uneven_graph(120), {0, 5});
}

} // namespace
} // namespace evenly::graph_tests
