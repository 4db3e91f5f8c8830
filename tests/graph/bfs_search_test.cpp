// SPDX-License-Identifier: Apache-2.0
// Searches by a persistent kernel on the CPU: the laws, closed forms, each kind of level, and refusals.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/graph/searches.hpp"
#include "graph/bfs_search_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(BfsSearch, KeepsTheLawsInEveryShape) {
  for (const int blocks : {0, 1, 2, 5})
    for (const graphs::search_rule& rule : {graphs::search_rule{}, together_and_up, top_down, alone})
      for (const bool with_in_edges : {false, true})
        expect_searches_everywhere(cpu(2), {rule, {blocks, 0}, with_in_edges});
}

TEST(BfsSearch, DoesLevelsInEveryWay) {
  const cpu exec(2);
  const auto levels = [&](const test_graph<int>& g, graphs::level_mode mode, const search_case& how) {
    return expect_searches(exec, g, {0}, how).levels_of_mode[static_cast<int>(mode)];
  };
  EXPECT_EQ(levels(path_graph(100), graphs::level_mode::single_block, {}), 98);
  EXPECT_EQ(levels(grid_graph(20, 20), graphs::level_mode::single_block, {together_and_up, {3, 0}, false}),
            4);
  EXPECT_EQ(levels(grid_graph(20, 20), graphs::level_mode::global_queue, {together_and_up, {3, 0}, false}),
            35);
  EXPECT_EQ(levels(star_graph(20000), graphs::level_mode::global_queue, {top_down, {2, 0}}), 2);
  EXPECT_EQ(levels(star_graph(20000), graphs::level_mode::bottom_up, {{}, {2, 0}}), 2);
}

TEST(BfsSearch, GoesAlongALongPath) {
  const int vertices = 1'000'000;
  expect_searches(cpu(2), path_graph(vertices), {vertices - 5});
  const cpu exec(2);
  const test_graph<int> g = path_graph(vertices);
  std::vector<int> levels(vertices), parents(vertices);
  EXPECT_EQ(bfs(g.view(), 0, levels, parents, exec), vertices);
  for (int v = 0; v < vertices; ++v) ASSERT_TRUE(levels[v] == v && parents[v] == std::max(v - 1, 0));
}

/// A path with a bush of many leaves at every 50th vertex, so that narrow levels and wide ones alternate; numbers lie
/// scattered.
test_graph<int> comb_graph() {
  constexpr int path = 1000, leaves = 1500, vertices = path + path / 50 * leaves;
  const auto number = [](int i) { return static_cast<int>(std::int64_t{i} * 7919 % vertices); };
  std::vector<test_edge> edges;
  for (int v = 0; v + 1 < path; ++v) edges.push_back({number(v), number(v + 1), 1});
  for (int i = 0; i < vertices - path; ++i) edges.push_back({number(i / leaves * 50), number(path + i), 1});
  return graph_of("comb", vertices, edges, true);
}

TEST(BfsSearch, GoesAloneAndTogetherByTurns) {
  const test_graph<int> g = comb_graph();
  for (const int blocks : {1, 2, 5})
    for (const bool with_in_edges : {false, true}) {
      const graphs::search_totals done =
          expect_searches(cpu(2), g, {g.targets.back(), 0}, {top_down, {blocks, 0}, with_in_edges});
      EXPECT_GT(done.levels_of_mode[static_cast<int>(graphs::level_mode::single_block)], 500);
      EXPECT_GT(done.levels_of_mode[static_cast<int>(graphs::level_mode::global_queue)], 19);
    }
  expect_searches(cpu(2), g, {0}, {together_and_up, {2, 0}});
}

/// 4,000 vertices with 10 edges or more to vertices all over the graph.
test_graph<int> scattered_graph() {
  constexpr int vertices = 4000;
  std::vector<test_edge> edges;
  for (int v = 0; v < vertices; ++v)
    for (int k = 0; k < 10; ++k)
      edges.push_back({v, static_cast<int>(mixed(static_cast<std::uint64_t>(10 * v + k)) % vertices), 1});
  return graph_of("scattered", vertices, edges, true);
}

// One block sorts short frontiers by comparison, and long ones by their bits.
TEST(BfsSearch, FindsLeastParentsBySortedFrontiers) {
  const test_graph<int> g = scattered_graph();
  const graphs::search_rule together{.alpha = 0, .single_block_from = 0, .single_block_until = 0};
  for (const int blocks : {1, 3})
    for (const bool with_in_edges : {false, true})
      for (const graphs::search_rule& rule : {graphs::search_rule{}, top_down, alone, together})
        expect_searches(cpu(2), g, {7, 3999}, {rule, {blocks, 0}, with_in_edges});
}

// The frontier is {3, 1} in this order, and both have an edge to 2.
TEST(BfsSearch, RecordsTheFirstParentIfAnyWillDo) {
  const test_graph<int> g = graph_of("", 4, {{0, 3, 1}, {0, 1, 1}, {1, 2, 1}, {3, 2, 1}});
  const auto parent_of_2 = [&](parent_rule rule) { return bfs(g.view(), 0, rule, cpu(1)).parents[2]; };
  EXPECT_EQ(parent_of_2(parent_rule::least), 1);
  EXPECT_EQ(parent_of_2(parent_rule::any), 3);
  std::vector<int> levels(4), parents(4);
  EXPECT_EQ(bfs(g.view(), 0, levels, parents, parent_rule::any, cpu(1)), 3);
  EXPECT_EQ(parents, (std::vector<int>{0, 0, 3, 0}));
  EXPECT_EQ(levels, (std::vector<int>{0, 1, 2, 1}));
}

TEST(BfsSearch, CountsBy64Bits) {
  const auto same = [](int weight) { return weight; };
  const auto g = converted<int, std::int64_t>(uneven_graph(500), same);
  for (const graphs::search_rule& rule : {graphs::search_rule{}, together_and_up})
    expect_searches<cpu, int, std::int64_t>(cpu(2), g, {0, 499}, {rule, {2, 0}});
}

/// Bottom-up finds the parent of lowest number only where neighbours are in order.
TEST(BfsSearch, GoesTopDownWhereEdgesThatArriveAreInNoOrder) {
  const cpu exec(2);
  test_graph<int> g = complete_graph(40);
  std::reverse(g.targets.begin(), g.targets.begin() + 39);
  graph on(exec, g.view());
  on.set_undirected();
  bfs_search search(exec, on.view(), together_and_up);
  EXPECT_FALSE(search.switch_to_bottom_up());
  std::vector<int> levels(40), parents(40);
  search.run(5, levels, parents);
  EXPECT_EQ(graphs::wrong_with_bfs(g.view().out, 5, levels, parents).value_or(""), "");
}

/// Between vertices, the ends of edges may descend.
TEST(BfsSearch, FindsEachPairOfEdgesOfAVertexThatIsInNoOrder) {
  const std::vector<int> offsets{0, 0, 3, 3, 4, 7, 9, 9};
  const std::vector<int> ends{1, 4, 4, 2, 0, 5, 6, 3, 3};
  const auto in_order = [&](const std::vector<int>& of) {
    const adjacency<int, int> edges{7, 9, offsets.data(), of.data()};
    return detail::ends_in_order(cpu(2), edges);
  };
  EXPECT_TRUE(in_order(ends));
  for (const std::size_t second : {1u, 5u, 6u}) {
    std::vector<int> swapped = ends;
    std::swap(swapped[second - 1], swapped[second]);
    EXPECT_FALSE(in_order(swapped)) << second;
  }
  std::vector<int> lower = ends; // than the edge before, of another vertex: still in order
  lower[7] = 0;
  EXPECT_TRUE(in_order(lower));
}

TEST(BfsSearch, TakesFewWordsOfMemory) {
  const test_graph<int> g = grid_graph(300, 300);
  bfs_search search(cpu(2), g.view());
  std::vector<int> levels(90000);
  search.run(0, levels);
  EXPECT_GT(search.bytes(), 90000u / 4);
  EXPECT_LE(search.bytes(), 12u * sizeof(int) * 90000u);
}

TEST(BfsSearch, RefusesWhatCannotBe) {
  const cpu exec(1);
  const test_graph<int> g = path_graph(4);
  bfs_search search(exec, g.view());
  const auto refused = [&](int source, std::size_t levels, std::size_t parents) {
    std::vector<int> a(levels), b(parents);
    return message_of<invalid_argument>([&] { search.run(source, a, b); });
  };
  EXPECT_EQ(refused(4, 4, 4), "source 4 is not a vertex: vertices are numbered from 0 to 3");
  EXPECT_EQ(refused(-1, 4, 4), "source -1 is not a vertex: vertices are numbered from 0 to 3");
  EXPECT_EQ(refused(0, 3, 4), "levels has 3 elements, but the graph has 4 vertices");
  EXPECT_EQ(refused(0, 4, 5), "parents has 5 elements, but the graph has 4 vertices");
  const test_graph<int> none = graph_of("nothing", 0, {});
  EXPECT_EQ(message_of<invalid_argument>([&] { bfs(none.view(), 0, exec); }),
            "source 0 is not a vertex: the graph has none");
  const graph_view<int, std::int64_t, std::int64_t> vast{{std::int64_t{1} << 30, std::int64_t{1} << 40}};
  EXPECT_EQ(message_of<invalid_argument>([&] { bfs_search(exec, vast); }),
            "1073741824 vertices and 1099511627776 edges: their sum must fit into 64 bits");
  constexpr int max = std::numeric_limits<int>::max() - 4096; // none of which is looked at here
  EXPECT_EQ(message_of<invalid_argument>([&] { bfs_search(exec, graph_view<>{{5, max + 1}}); }),
            "2147479552 edges: a search needs 64-bit edge numbers from 2147479552 on");
  EXPECT_NO_THROW(bfs_search(exec, graph_view<>{{5, max}}));
}

} // namespace
} // namespace evenly::graph_tests
