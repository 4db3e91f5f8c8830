// SPDX-License-Identifier: Apache-2.0
// Colours and independent sets on the CPU and on the simulated GPU.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "graph/colouring_laws.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(Colouring, IsThatOfTheSerialAlgorithmOnCores) {
  expect_colours_of_all_kinds(cpu(1));
  expect_colours_of_all_kinds(cpu(3));
  const auto g = uneven_graph(400);
  for (std::uint64_t seed = 0; seed < 20; ++seed) expect_colours(cpu(2), g, seed << 60 | seed);
}

/// Threads that wait for the same neighbours: no bit may be lost.
TEST(Colouring, IsTheSameOnEveryRun) {
  const auto g = simple_graph(graph(cpu(4), uneven_graph(3000).view()));
  const auto colours = graphs::greedy_colours(g.view().out, {});
  const auto members = maximal_independent_set(g, 2, cpu(1));
  for (int run = 0; run < 40; ++run) {
    ASSERT_EQ(colour(g), colours) << "run " << run;
    ASSERT_EQ(maximal_independent_set(g, 2), members) << "run " << run;
  }
}

TEST(Colouring, HasFormsOfOneLine) {
  const csr_matrix<float> path{3, 3, {0, 1, 3, 4}, {1, 0, 2, 1}, {1, 1, 1, 1}};
  EXPECT_EQ(colour(path), (std::vector<int>{1, 0, 1}));
  EXPECT_EQ(colour(path, {}, simt({.seed = 3})), colour(path, {}, cpu(3)));
  const auto wide = converted<int, std::int64_t>(uneven_graph(100), [](int weight) { return weight; });
  expect_colours(cpu(2), wide);
}

TEST(Colouring, RefusesDirectedGraphs) {
  const csr_matrix<float> one_way{2, 2, {0, 1, 1}, {1}, {1}};
  constexpr const char* message =
      "the graph is directed: an edge has no reverse edge. Make the simple graph first";
  EXPECT_EQ(refusal_of([&] { colour(one_way); }), message);
  EXPECT_EQ(refusal_of([&] { maximal_independent_set(one_way); }), message);
}

TEST(ColouringOnSimt, IsThatOfTheSerialAlgorithm) {
  for (const std::uint64_t seed : {0, 3}) {
    const simt exec({.warp_size = 8, .seed = seed});
    for (const test_graph<int>& g :
         {star_graph(20), grid_graph(4, 4), two_cliques(6), graph_of("no vertex", 0, {})})
      expect_colours(exec, g, seed);
  }
}

} // namespace
} // namespace evenly::graph_tests
