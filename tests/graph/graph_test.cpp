// SPDX-License-Identifier: Apache-2.0
// Graphs and frontiers (graph_laws.hpp) on the CPU and on the simulated GPU; graphs that are refused; and that the laws
// of searches (src/graphs/laws.hpp) see what is wrong.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "graph/graph_laws.hpp"
#include "graphs/laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(Graphs, KeepTheLawsOnCpu) { expect_graph_laws(cpu(3)); }

TEST(Graphs, AreCheckedWhenTheyAreMade) {
  const auto message = [](const test_graph<int>& g, int edges) {
    graph_view<> view = g.view();
    view.out.edges = edges;
    return message_of<invalid_argument>([&] { const graph made(cpu(1), view); });
  };
  EXPECT_EQ(message(graph_of("", 3, {{0, 1, 0}, {1, 3, 0}}), 2),
            "edge 1 ends at 3, which is not a vertex: vertices are numbered from 0 to 2");
  EXPECT_EQ(message(graph_of("", 3, {{0, -1, 0}}), 1),
            "edge 0 ends at -1, which is not a vertex: vertices are numbered from 0 to 2");
  EXPECT_EQ(message(graph_of("", 3, {{0, 1, 0}, {1, 2, 0}}), 1),
            "offsets go from 0 to 2: offsets must go from 0 to 1, the number of edges");
  EXPECT_EQ(message(graph_of("", 3, {}), -1), "3 vertices and -1 edges: sizes must not be negative");
  test_graph<int> falling = path_graph(3);
  falling.offsets = {0, 2, 1, 2};
  EXPECT_EQ(message(falling, 2), "offsets[2] = 1 is less than offsets[1] = 2: offsets must not decrease");
}

std::string from_one(int vertex) { return std::to_string(vertex + 1); }

/// What breaks each law is found.
TEST(LawsOfSearches, SeeWhatIsWrong) {
  const test_graph<int> g = graph_of("", 5, {{0, 1, 2}, {0, 2, 2}, {1, 3, 2}, {2, 3, 2}});
  const std::vector<int> levels{0, 1, 1, 2, -1}, parents{0, 0, 0, 1, -1};
  const auto bfs_says = [&](std::vector<int> l, std::vector<int> p) {
    return graphs::wrong_with_bfs(g.view().out, 0, l, p, from_one).value_or("nothing");
  };
  EXPECT_EQ(bfs_says(levels, parents), "nothing");
  EXPECT_EQ(bfs_says({0, 1, 1, 3, -1}, parents),
            "vertex 4 is on level 3, but it has an edge from vertex 2 on level 1");
  EXPECT_EQ(bfs_says({0, 1, 1, 2, 2}, {0, 0, 0, 1, 2}),
            "vertex 5 is on level 2, but it has no edge from the level before");
  EXPECT_EQ(bfs_says({1, 1, 1, 2, -1}, parents), "vertex 1 is on level 1, but the source is 1");
  EXPECT_EQ(bfs_says({0, 0, 1, 1, -1}, parents), "vertex 2 is on level 0, but the source is 1");
  EXPECT_EQ(bfs_says(levels, {0, 0, 0, 2, -1}), "vertex 4 has parent 3 but should have 2");
  EXPECT_EQ(bfs_says(levels, {0, 0, 0, 1, 0}), "vertex 5 has parent 1 but should have -1");
  const auto any_says = [&](std::vector<int> p) {
    return graphs::wrong_with_bfs(g.view().out, 0, levels, p, from_one, graphs::parent_rule::any)
        .value_or("nothing");
  };
  EXPECT_EQ(any_says(parents), "nothing");
  EXPECT_EQ(any_says({0, 0, 0, 2, -1}), "nothing");
  EXPECT_EQ(any_says({0, 0, 0, 0, -1}), "vertex 4 has parent 1 but should have 2");
  EXPECT_EQ(any_says({0, 0, 0, -1, -1}), "vertex 4 has parent -1 but should have 2");
  EXPECT_EQ(bfs_says({0}, parents), "the numbers of levels, parents and vertices differ");

  constexpr int never = unreached<int>;
  const std::vector<int> distances{0, 2, 2, 4, never};
  const auto sssp_says = [&](std::vector<int> d, std::vector<int> p) {
    return graphs::wrong_with_sssp(g.view(), 0, d, p, from_one).value_or("nothing");
  };
  EXPECT_EQ(sssp_says(distances, parents), "nothing");
  EXPECT_EQ(sssp_says({0, 2, 2, 5, never}, parents),
            "vertex 4 is at distance 5, but a path over vertex 2 has length 4");
  EXPECT_EQ(sssp_says({0, 2, 2, 3, never}, parents), "vertex 4 has no tight edge from its parent 2");
  EXPECT_EQ(sssp_says({1, 2, 2, 4, never}, parents),
            "the source is at distance 1, not 0, or not its own parent");
  EXPECT_EQ(sssp_says(distances, {0, 0, 0, 2, -1}), "vertex 4 has parent 3 but should have 2");
  EXPECT_EQ(sssp_says({0, 2, 2, 4, 9}, parents), "vertex 5 is at distance 9, and its parent is -1");
  EXPECT_EQ(sssp_says(distances, {0, 0, 0, 7, -1}), "vertex 4 is at distance 4, and its parent is 7");
  EXPECT_EQ(sssp_says(distances, {0}), "there is not one distance and parent for each vertex");

  const std::vector<int> nought(3);
  const test_graph<int> circle = graph_of("", 3, {{0, 1, 0}, {1, 2, 0}, {2, 1, 0}});
  EXPECT_EQ(graphs::wrong_with_sssp(circle.view(), 0, nought, std::vector<int>{0, 0, 1}).value_or("nothing"),
            "nothing");
  EXPECT_EQ(graphs::wrong_with_sssp(circle.view(), 0, nought, std::vector<int>{0, 2, 1}).value_or("nothing"),
            "parents go in a circle at vertex 1");
}

TEST(GraphsOnSimt, KeepTheLaws) { expect_graph_laws(simt({.warp_size = 32, .seed = 1})); }

} // namespace
} // namespace evenly::graph_tests
