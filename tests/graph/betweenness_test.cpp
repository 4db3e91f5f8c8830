// SPDX-License-Identifier: Apache-2.0
// betweenness on the CPU.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "graph/betweenness_laws.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"

namespace evenly::graph_tests {
namespace {

using graphs::betweenness_scale;

TEST(Betweenness, KeepsTheLawsOnCpu) {
  expect_betweenness_of_all_kinds(cpu(1));
  expect_betweenness_of_all_kinds(cpu(3));
}

TEST(Betweenness, HasLongNumbers) {
  const auto g = converted<int, std::int64_t>(random_graph(100, 300, 3), [](int weight) { return weight; });
  expect_betweenness(cpu(2), g, std::vector<std::int64_t>{4, 1});
}

/// More paths than a double can count: 2^1500, and binomial coefficients of 1200.
TEST(Betweenness, CountsManyPaths) {
  expect_betweenness(cpu(2), chain_of_diamonds(1500), {0, 2250, 4500});
  expect_betweenness(cpu(1), grid_graph(600, 600), {0});
}

TEST(Betweenness, HasTheSameBitsForAnyNumberOfThreads) {
  const test_graph<int> g = uneven_graph(3000);
  std::vector<int> sources;
  for (int i = 0; i < 11; ++i) sources.push_back(i * 271);
  const std::vector<double> alone = betweenness_on(cpu(1), g, sources);
  for (const int threads : {2, 3, 8, 64})
    EXPECT_EQ(betweenness_on(cpu(threads), g, sources), alone) << threads;
  EXPECT_EQ(betweenness_on(cpu(1), g, sources), alone);
}

TEST(Betweenness, TakesNoMoreMemoryThanStated) {
  for (const auto& [vertices, edges] :
       {std::pair(10, 20), {100'000, 50}, {20'000, 20'000}, {1000, 100'000}}) {
    graph g(cpu(1), random_graph(vertices, edges, 2).view());
    g.make_in_edges();
    std::vector<double> scores(static_cast<std::size_t>(vertices));
    for (const int threads : {1, 3, 16}) {
      counting_resource memory;
      const std::vector<int> sources{0, 1, 2, 3, 4};
      graphs::find_betweenness(cpu(threads, &memory), g.view(), sources, betweenness_scale::sums, scores);
      EXPECT_LE(memory.peak, graphs::betweenness_bytes(vertices, threads == 3 ? 3 : 1))
          << vertices << ' ' << threads;
      EXPECT_EQ(memory.bytes_out, 0u);
    }
  }
}

TEST(Betweenness, IsScaled) {
  const csr_matrix<double> path{4, 4, {0, 1, 3, 5, 6}, {1, 0, 2, 1, 3, 2}, {1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(betweenness(path), (std::vector<double>{0, 4, 4, 0}));
  const std::vector<double> means = betweenness(path, betweenness_scale::normalized);
  EXPECT_DOUBLE_EQ(means[1], 2.0 / 3);
  const std::vector<int> sources{0, 3};
  EXPECT_EQ(betweenness(path, sources, betweenness_scale::sums, cpu(1)), (std::vector<double>{0, 3, 3, 0}));
  EXPECT_DOUBLE_EQ(betweenness(path, sources, betweenness_scale::normalized)[2], 3.0 * 4 / (2 * 3 * 2));
  const csr_matrix<double> pair{2, 2, {0, 1, 2}, {1, 0}, {1, 1}};
  EXPECT_EQ(betweenness(pair, betweenness_scale::normalized), (std::vector<double>{0, 0}));
  const csr_matrix<double> none{0, 0, {0}, {}, {}};
  EXPECT_TRUE(betweenness(none).empty());
}

TEST(Betweenness, RefusesOtherSources) {
  const csr_matrix<double> pair{2, 2, {0, 1, 2}, {1, 0}, {1, 1}};
  EXPECT_EQ(refusal_of([&] { betweenness(pair, std::vector<int>{0, 2}); }),
            "source 2 is not a vertex: vertices are numbered from 0 to 1");
  EXPECT_EQ(betweenness(pair, std::vector<int>{}), (std::vector<double>{0, 0}));
  std::vector<double> scores(1);
  EXPECT_EQ(refusal_of([&] {
              graphs::find_betweenness(cpu(1), graph_view_of(pair), {}, betweenness_scale::sums, scores);
            }),
            "scores has 1 elements, but the graph has 2 vertices");
}

} // namespace
} // namespace evenly::graph_tests
