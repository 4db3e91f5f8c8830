// SPDX-License-Identifier: Apache-2.0
// connected_components on the CPU and on the simulated GPU.

#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "graph/connected_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(ConnectedComponents, KeepTheLawsOnCores) {
  expect_connected_of_all_kinds(cpu(1));
  expect_connected_of_all_kinds(cpu(3));
}

TEST(ConnectedComponents, KeepTheLawsOnRandomGraphs) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int vertices = 1 + static_cast<int>(seed * 11 % 200);
    expect_connected(cpu(1 + static_cast<int>(seed % 3)),
                     random_graph(vertices, vertices * static_cast<int>(seed % 6) / 3, seed));
  }
}

/// Threads that link the same trees: no label may be lost.
TEST(ConnectedComponents, AreTheSameOnEveryRun) {
  const graph grid(cpu(4), in_both_directions(grid_graph(200, 150)).view());
  for (int run = 0; run < 100; ++run)
    ASSERT_EQ(connected_components(grid), std::vector<int>(200 * 150)) << "run " << run;
}

TEST(ConnectedComponents, FollowLongPaths) {
  constexpr int vertices = 1'000'000;
  std::vector<test_edge> edges; // from its last vertex to its first
  for (int v = 1; v < vertices; ++v) edges.push_back({v, v - 1, 1});
  edges[vertices / 2] = {0, 0, 1};
  std::vector<int> expected(vertices);
  for (int v = vertices / 2 + 1; v < vertices; ++v) expected[v] = vertices / 2 + 1;
  for (const bool both : {false, true}) {
    const graph path(cpu(2), graph_of("path", vertices, edges, both).view());
    EXPECT_TRUE(connected_components(path) == expected) << both;
  }
}

TEST(ConnectedComponents, CountBy64Bits) {
  const auto same = [](int weight) { return weight; };
  expect_connected(cpu(2), converted<int, std::int64_t>(random_graph(400, 300, 1), same));
}

TEST(ConnectedComponents, HaveFormsOfOneLine) {
  const csr_matrix<int> a{5, 5, {0, 1, 2, 3, 3, 4}, {1, 0, 1, 3}, {1, 1, 1, 1}};
  EXPECT_EQ(connected_components(a), (std::vector<int>{0, 0, 0, 3, 3}));
  EXPECT_EQ(connected_components(graph(a).to(simt({.seed = 3}))), connected_components(a, cpu(3)));
  std::array<int, 5> labels{};
  connected_components(graph(a).view(), labels, cpu(1));
  EXPECT_EQ(labels, (std::array<int, 5>{0, 0, 0, 3, 3}));
}

TEST(ConnectedComponents, RefuseWhatCannotBe) {
  std::vector<int> three(3);
  EXPECT_EQ(refusal_of([&] { connected_components(graph(cpu(1), path_graph(4).view()), three); }),
            "labels has 3 elements, but the graph has 4 vertices");
  EXPECT_EQ(refusal_of([&] { connected_components(csr_matrix<int>{1, 2, {0, 1}, {1}, {1}}); }),
            "a matrix of 1 rows and 2 columns is not a graph: it must be square");
}

TEST(ConnectedComponentLaws, FindWhatIsWrong) {
  const auto g = graph_of("two parts", 5, {{1, 0, 1}, {2, 1, 1}, {4, 3, 1}});
  const auto wrong = [&](std::vector<int> labels) {
    return graphs::wrong_with_connected_components(g.view().out, labels).value_or("");
  };
  EXPECT_EQ(wrong({0, 0, 0, 3, 3}), "");
  EXPECT_EQ(wrong({0, 0, 1, 3, 3}),
            "vertex 2 has label 1, but the smallest vertex number of its component is 0");
  EXPECT_EQ(wrong({0, 0, 0, 0, 0}),
            "vertex 3 has label 0, but the smallest vertex number of its component is 3");
  EXPECT_EQ(wrong({0, 0, 0, 3}), "the numbers of labels and vertices differ");
}

TEST(ConnectedComponentsOnSimt, KeepTheLaws) {
  for (const std::uint64_t seed : {0, 3, 5, 8}) {
    const simt exec({.warp_size = 8, .seed = seed});
    for (const test_graph<int>& g :
         {uneven_graph(150), star_graph(90), grid_graph(19, 17), chain_of_rings(12, 3),
          chain_of_stars(3, 40, false), chain_of_stars(3, 40, true), random_graph(80, 60, 1),
          graph_of("a loop", 1, {{0, 0, 1}}), graph_of("no vertex", 0, {})})
      expect_connected(exec, g);
  }
}

} // namespace
} // namespace evenly::graph_tests
