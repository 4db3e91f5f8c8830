// SPDX-License-Identifier: Apache-2.0
// triangles on the CPU.

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "graph/triangle_laws.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(Triangles, KeepTheLawsOnCpu) {
  expect_triangles_of_all_kinds(cpu(1));
  expect_triangles_of_all_kinds(cpu(3));
}

/// Several tables of one vertex, and of several blocks.
TEST(Triangles, OfManyNeighbours) {
  const test_graph<int> g = clique_with_fringe(40, 6000);
  expect_triangles(cpu(2), g);
}

TEST(Triangles, OfMoreVerticesThanATableHasEntries) { expect_triangles_of_cliques(cpu(2), 1200, 60); }

TEST(Triangles, TakeNoMoreMemoryThanStated) {
  for (const auto& [vertices, edges] :
       {std::pair(10, 20), {100'000, 50}, {20'000, 20'000}, {1000, 100'000}}) {
    const auto simple = simple_graph(graph(cpu(1), random_graph(vertices, edges, 2).view()));
    for (const int threads : {1, 3}) {
      counting_resource memory;
      graphs::find_triangles(cpu(threads, &memory), simple.view(), {});
      EXPECT_LE(memory.peak, graphs::triangle_bytes(vertices, simple.edges())) << vertices;
      EXPECT_EQ(memory.bytes_out, 0u);
    }
  }
}

TEST(Triangles, HaveLongNumbers) {
  expect_triangles(
      cpu(2), converted<int, std::int64_t>(random_graph(100, 2000, 3), [](int weight) { return weight; }));
}

TEST(Triangles, AreCountedInMatrices) {
  const csr_matrix<double> edges{3, 3, {0, 2, 4, 6}, {1, 2, 0, 2, 0, 1}, {1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(triangles(edges), (std::vector<std::int64_t>{1, 1, 1}));
  EXPECT_EQ(count_triangles(edges, cpu(1)), 1);
}

/// A self-loop is no neighbour.
TEST(Triangles, GiveClusteringCoefficients) {
  const csr_matrix<float> tailed{
      4, 4, {0, 3, 5, 8, 9}, {0, 1, 2, 0, 2, 0, 1, 3, 2}, {1, 1, 1, 1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(clustering(tailed), (std::vector<double>{1, 1, 1.0 / 3, 0}));
  EXPECT_EQ(clustering(csr_matrix<float>{0, 0, {0}, {}, {}}), std::vector<double>{});
}

TEST(Triangles, RefuseOtherGraphs) {
  const csr_matrix<double> directed{3, 3, {0, 1, 2, 3}, {1, 2, 0}, {1, 1, 1}};
  EXPECT_EQ(refusal_of([&] { triangles(directed); }),
            "the graph is directed: an edge has no reverse edge. Make the simple graph first");
  const csr_matrix<double> parallel{2, 2, {0, 2, 4}, {1, 1, 0, 0}, {1, 1, 1, 1}};
  EXPECT_EQ(refusal_of([&] { triangles(parallel); }),
            "vertices 0 and 1 have parallel edges: make the simple graph first");
  const csr_matrix<double> edges{2, 2, {0, 1, 2}, {1, 0}, {1, 1}};
  std::vector<std::int64_t> counts(1);
  EXPECT_EQ(refusal_of([&] { triangles(edges, counts); }),
            "counts has 1 elements, but the graph has 2 vertices");
}

} // namespace
} // namespace evenly::graph_tests
