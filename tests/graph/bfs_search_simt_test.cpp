// SPDX-License-Identifier: Apache-2.0
// Searches that stay, on the simulated GPU: the code of the GPU, in several interleavings.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/bfs_search_laws.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BfsSearchOnSimt, KeepsTheLawsInEveryShape) {
  for (const search_shape& shape : {search_shape{1, 32}, search_shape{3, 64}, search_shape{2, 100}})
    for (const search_rule& rule : {search_rule{}, together_and_up, top_down})
      expect_searches_everywhere(simt(), {rule, shape, rule.alpha > 0});
}

TEST(BfsSearchOnSimt, FindsTheSameInAnyInterleaving) {
  for (const int warp_size : {1, 8, 64})
    for (const std::uint64_t seed : {1, 2, 3}) {
      const simt exec({.warp_size = warp_size, .seed = seed});
      expect_searches(exec, uneven_graph(700), {0}, {together_and_up, {4, 48}});
      expect_searches(exec, grid_graph(15, 12), {7}, {together_and_up, {4, 16}, false});
    }
}

/// What a block finds is more than it keeps, so that all go on from the list; and more than it has room for.
TEST(BfsSearchOnSimt, ListsWhatIsNotKept) {
  std::vector<test_edge> edges;
  for (int v = 1; v <= 3; ++v) edges.push_back({0, v, 1});
  for (int v = 4; v < 6000; ++v) edges.push_back({1 + v % 3, v, 1});
  for (int v = 6000; v < 9000; ++v) edges.push_back({v - 5000, v, 1});
  const test_graph<int> g = graph_of("fans", 9000, edges);
  expect_searches(simt(), g, {0}, {together_and_up, {3, 32}, false});
  expect_searches(simt(), g, {0}, {alone, {3, 32}, false});
}

TEST(BfsSearchOnSimt, FindsTheSameWhereThreadsChangeAtAtomics) {
  for (const std::uint64_t seed : {4, 5}) {
    const simt exec({.warp_size = 8, .seed = seed, .switch_at_atomics = true});
    expect_searches(exec, uneven_graph(300), {0}, {together_and_up, {3, 24}});
    expect_searches(exec, uneven_graph(300), {0}, {top_down, {3, 24}, false});
  }
}

} // namespace
} // namespace evenly::graph_tests
