// SPDX-License-Identifier: Apache-2.0
// simple_graph on the CPU and on the simulated GPU.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "graph/simple_graph_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(SimpleGraphs, KeepTheLawsOnCpu) {
  expect_simple_graphs(cpu(1));
  expect_simple_graphs(cpu(3));
}

TEST(SimpleGraphs, KeepTheLawsOnSimt) { expect_simple_graphs(simt({.warp_size = 32, .seed = 1})); }

TEST(SimpleGraphs, AreMadeFromMatrices) {
  const csr_matrix<double> edges{3, 3, {0, 2, 3, 3}, {0, 2, 0}, {9, 4, 2}};
  const auto simple = simple_graph(edges, cpu(2));
  EXPECT_EQ(edges_of(cpu(1), simple.view().out, simple.view().weights),
            (std::vector<std::tuple<int, int, double>>{{0, 1, 2}, {0, 2, 4}, {1, 0, 2}, {2, 0, 4}}));
  const csr_matrix<double> wide{1, 2, {0, 1}, {1}, {1}};
  EXPECT_EQ(message_of<invalid_argument>([&] { simple_graph(wide); }),
            "a matrix of 1 rows and 2 columns is not a graph: it must be square");
  const csr_matrix<double> wrong{2, 2, {0, 1, 1}, {2}, {1}};
  EXPECT_EQ(message_of<invalid_argument>([&] { simple_graph(wrong); }),
            "edge 0 ends at 2, which is not a vertex: vertices are numbered from 0 to 1");
}

TEST(SimpleGraphs, RefuseTooManyVertices) {
  graph_view<int, std::int64_t, std::int64_t> huge;
  huge.out.vertices = std::int64_t{1} << 32;
  EXPECT_EQ(message_of<invalid_argument>([&] { simple_graph(huge); }),
            "4294967296 vertices: a simple graph has fewer than 2^32");
}

} // namespace
} // namespace evenly::graph_tests
