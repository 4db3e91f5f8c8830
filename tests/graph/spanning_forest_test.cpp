// SPDX-License-Identifier: Apache-2.0
// minimum_spanning_forest on the CPU and on the simulated GPU.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "graph/forest_laws.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

TEST(SpanningForest, IsThatOfKruskalOnCores) {
  expect_forests_of_all_kinds(cpu(1));
  expect_forests_of_all_kinds(cpu(3));
}

TEST(SpanningForest, IsThatOfKruskalOnRandomGraphs) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int vertices = 1 + static_cast<int>(seed * 11 % 200);
    expect_forest(cpu(1 + static_cast<int>(seed % 3)),
                  weighted_graph(vertices, vertices * static_cast<int>(seed % 6) / 2,
                                 1 + static_cast<int>(seed), seed));
  }
}

/// Threads that lower the same minima: no edge may be lost.
TEST(SpanningForest, IsTheSameOnEveryRun) {
  const auto g = simple_graph(graph(cpu(4), weighted_graph(3000, 36'000, 50, 1).view()));
  const auto expected = forest_by_kruskal(cpu(4), g);
  for (int run = 0; run < 40; ++run) ASSERT_EQ(minimum_spanning_forest(g), expected) << "run " << run;
}

/// Light edges are processed first, so that few edges need 32 bytes at a time.
TEST(SpanningForest, TakesNoMoreMemoryThanStated) {
  for (const auto& [vertices, edges] : {std::pair(20'000, 20'000), {2000, 100'000}}) {
    const auto simple = simple_graph(graph(cpu(1), weighted_graph(vertices, edges, 1 << 20, 2).view()));
    const std::int64_t one_way = simple.edges() / 2;
    const std::int64_t together = std::min<std::int64_t>(one_way, std::int64_t{5} * vertices);
    counting_resource memory;
    detail::find_forest(cpu(2, &memory), simple.view());
    constexpr std::int64_t of_selects = 100'000;
    EXPECT_LE(memory.peak, 21 * vertices + 4 * simple.edges() + 9 * one_way + 32 * together + of_selects);
    EXPECT_EQ(memory.bytes_out, 0u);
  }
}

TEST(SpanningForest, HasFormsOfOneLine) {
  const csr_matrix<float> a{
      4, 4, {0, 2, 3, 4, 4}, {1, 2, 2, 0}, {3, 1, 1, 5}}; // 0-1: 3, 0-2: 1, 1-2: 1, 2-0: 5
  EXPECT_EQ(minimum_spanning_forest(a), (std::vector<int>{1, 2}));
  EXPECT_EQ(minimum_spanning_forest(graph(a).to(simt({.seed = 3}))), minimum_spanning_forest(a, cpu(3)));
  EXPECT_EQ(minimum_spanning_forest(csr_matrix<float, std::int64_t>{2, 2, {0, 1, 1}, {1}, {-1}}),
            (std::vector<std::int64_t>{0}));
  const auto wide =
      converted<int, std::int64_t>(weighted_graph(100, 300, 9, 1), [](int weight) { return weight; });
  expect_forest(cpu(2), wide);
}

TEST(SpanningForest, RefusesWhatCannotBe) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(
      refusal_of([&] { minimum_spanning_forest(csr_matrix<float>{2, 2, {0, 1, 2}, {1, 0}, {1, nan}}); }),
      "edge 1, from 1 to 0, has weight NaN: weights of a spanning forest must be numbers");
  EXPECT_EQ(refusal_of([&] { minimum_spanning_forest(csr_matrix<int>{2, 2, {0, 1, 1}, {2}, {1}}); }),
            "edge 0 ends at 2, which is not a vertex: vertices are numbered from 0 to 1");
}

TEST(SpanningForestOnSimt, IsThatOfKruskal) {
  for (const std::uint64_t seed : {0, 3, 5}) {
    const simt exec({.warp_size = 8, .seed = seed});
    for (const test_graph<int>& g : {star_graph(60), grid_graph(9, 8), weighted_graph(80, 160, 20, 1),
                                     weighted_graph(20, 320, 40, 2), graph_of("no vertex", 0, {})})
      expect_forest(exec, g);
  }
  expect_forests_of_all_weights(simt({.warp_size = 8, .seed = 1}), weighted_graph(30, 60, 100, 4));
}

} // namespace
} // namespace evenly::graph_tests
