// SPDX-License-Identifier: Apache-2.0
// Searches that stay, on the simulated GPU: the code of the GPU, in several interleavings.

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "graph/bfs_search_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BfsSearchOnSimt, KeepsTheLawsInEveryShape) {
  for (const graphs::search_shape& shape :
       {graphs::search_shape{1, 32}, graphs::search_shape{3, 64}, graphs::search_shape{2, 100}})
    for (const graphs::search_rule& rule : {graphs::search_rule{}, together_and_up, top_down})
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

TEST(BfsSearchOnSimt, PutsVerticesOfManyEdgesOff) {
  for (const int warp_size : {8, 32, 64})
    for (const graphs::search_shape& shape :
         {graphs::search_shape{1, 32}, graphs::search_shape{2, 100}, graphs::search_shape{3, 64}})
      expect_searches_bottom_up(simt({.warp_size = warp_size, .seed = 7}), shape);
  expect_searches_bottom_up(simt(), {5, 1});
}

/// So many vertices that a warp has more than one word of those that lack a level, and the last warp is narrower.
TEST(BfsSearchOnSimt, LooksAtAllWhoLackALevel) {
  constexpr int wide = 3000;
  std::vector<test_edge> edges;
  for (int v = 1; v <= wide; ++v) edges.push_back({0, v, 1});
  for (int v = 1; v <= 2 * wide; ++v)
    for (const int to : {v - 1, 7 * v}) edges.push_back({v, 1 + ((v - 1) / wide + 1) * wide + to % wide, 1});
  const test_graph<int> g = graph_of("three wide levels", 3 * wide + 1, edges);
  for (const graphs::search_shape& shape :
       {graphs::search_shape{2, 100}, graphs::search_shape{1, 33}, graphs::search_shape{3, 64}})
    EXPECT_EQ(expect_searches(simt(), g, {0}, {{.alpha = 1e6}, shape})
                  .levels_of_mode[static_cast<int>(graphs::level_mode::bottom_up)],
              3);
}

/// A step of a block of 1,024 threads finds more than there is room for before it is written to the list.
TEST(BfsSearchOnSimt, FindsNoMoreThanThereIsRoomFor) {
  expect_searches(simt(), star_graph(9000), {0}, {top_down, {1, 1024}, false});
}

TEST(BfsSearchOnSimt, CountsBy64Bits) {
  const auto wide = converted<int, std::int64_t>(late_hubs(40, 4), [](int weight) { return weight; });
  expect_searches(simt(), wide, {wide.vertices() - 1}, {{}, {2, 64}});
  const auto uneven = converted<int, std::int64_t>(uneven_graph(700), [](int weight) { return weight; });
  expect_searches(simt(), uneven, {std::int64_t{0}}, {together_and_up, {3, 64}});
}

TEST(BfsSearchOnSimt, TakesFewWordsOfMemory) {
  const simt exec;
  const test_graph<int> g = uneven_graph(3000);
  graph on(exec, g.view());
  on.make_in_edges(exec);
  bfs_search search(exec, on.view(), {}, false, {2, 64});
  const auto levels = make_buffer<int>(exec, 3000);
  search.run(0, levels.span());
  EXPECT_GE(search.bytes(), 8u * sizeof(int) * 3000u);
  EXPECT_LE(search.bytes(), 12u * sizeof(int) * 3000u);
}

TEST(BfsSearchOnSimt, RefusesMoreEdgesThanItCanNumber) {
  const graph_view<> many{{5, std::numeric_limits<int>::max() - 4095}};
  EXPECT_EQ(message_of<invalid_argument>([&] { bfs_search(simt(), many); }),
            "2147479552 edges: a search needs 64-bit edge numbers from 2147479552 on");
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
