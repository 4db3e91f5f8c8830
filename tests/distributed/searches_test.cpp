// SPDX-License-Identifier: Apache-2.0
// Searches, PageRank and conjugate gradients on ranks against loops, with the same bits on any number of ranks.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/distributed/array.hpp"
#include "evenly/distributed/bfs.hpp"
#include "evenly/distributed/local_devices.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/searches.hpp"
#include "evenly/distributed/solvers.hpp"
#include "evenly/distributed/triangles.hpp"
#include "evenly/execution/cpu.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

using distributed::local_devices;
using distributed::matrix_options;

const matrix_options blocks_of_48{.split = {.block_size = 4, .blocks_per_group = 2},
                                  .columns = {}}; // groups of 96 steps

/// Symmetric, with weights 1 to 9.
csr_matrix<double> graph_of(int vertices, const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::set<int>> rows(static_cast<std::size_t>(vertices));
  for (const auto& [u, v] : edges) {
    rows[static_cast<std::size_t>(u)].insert(v);
    rows[static_cast<std::size_t>(v)].insert(u);
  }
  csr_matrix<double> a;
  a.rows = a.cols = vertices;
  for (int v = 0; v < vertices; ++v) {
    for (const int u : rows[static_cast<std::size_t>(v)]) {
      a.columns.push_back(u);
      a.values.push_back(1 + (u * v + u + v) % 9);
    }
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

std::vector<std::pair<std::string, csr_matrix<double>>> graphs_to_search() {
  std::mt19937 random(1);
  std::vector<std::pair<int, int>> star, path, mixed;
  for (int v = 1; v < 700; ++v) star.emplace_back(0, v);
  for (int v = 1; v < 60; ++v) path.emplace_back(v - 1, v);
  for (int k = 0; k < 900; ++k) {
    const int u = static_cast<int>(random() % 400), v = static_cast<int>(random() % 400);
    if (u != v && u % 5 != 4 && v % 5 != 4) mixed.emplace_back(u, v);
  }
  return {{"one vertex", graph_of(1, {})},
          {"star", graph_of(700, star)},
          {"path", graph_of(60, path)},
          {"with single vertices", graph_of(400, mixed)}};
}

std::vector<double> lengths_by_loop(const csr_matrix<double>& a, int source, bool weighted) {
  std::vector<double> lengths(static_cast<std::size_t>(a.rows), std::numeric_limits<double>::infinity());
  std::priority_queue<std::pair<double, int>> open; // negative lengths
  lengths[static_cast<std::size_t>(source)] = 0;
  open.emplace(0, source);
  while (!open.empty()) {
    const auto [length, v] = open.top();
    open.pop();
    for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(v)]);
         k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(v) + 1]); ++k) {
      const double next = -length + (weighted ? a.values[k] : 1);
      double& known = lengths[static_cast<std::size_t>(a.columns[k])];
      if (next >= known) continue;
      known = next;
      open.emplace(-next, a.columns[k]);
    }
  }
  return lengths;
}

TEST(SearchesOnRanks, FindLevelsParentsAndPaths) {
  for (const auto& [name, a] : graphs_to_search())
    for (const int ranks : {1, 2, 3, 4, 7}) {
      SCOPED_TRACE(name + " on " + std::to_string(ranks));
      auto graph = local_devices(ranks, cpu(1)).distribute(a, blocks_of_48);
      const int source = a.rows / 3;
      const auto found = bfs(graph, source);
      const std::vector<int> levels = found.levels.gather(), parents = found.parents.gather();
      const std::vector<double> expected = lengths_by_loop(a, source, false);
      for (std::size_t v = 0; v < expected.size(); ++v) {
        ASSERT_EQ(levels[v], std::isinf(expected[v]) ? -1 : static_cast<int>(expected[v])) << v;
        int parent = levels[v] == 0 ? static_cast<int>(v) : -1;
        if (levels[v] > 0)
          for (auto k = a.offsets[v + 1] - 1; k >= a.offsets[v]; --k)
            if (levels[static_cast<std::size_t>(a.columns[static_cast<std::size_t>(k)])] == levels[v] - 1)
              parent = a.columns[static_cast<std::size_t>(k)];
        ASSERT_EQ(parents[v], parent) << v;
      }
      EXPECT_EQ(sssp(graph, source).gather(), lengths_by_loop(a, source, true));
    }
}

TEST(SearchesOnRanks, SendTheFrontierAsBitsOrNumbersAndGoBothWays) {
  std::mt19937 random(3);
  std::vector<std::pair<int, int>> edges;
  for (int v = 1; v < 2000; ++v) edges.emplace_back(static_cast<int>(random() % static_cast<unsigned>(v)), v);
  for (int k = 0; k < 8000; ++k)
    edges.emplace_back(static_cast<int>(random() % 2000), static_cast<int>(random() % 2000));
  const auto a = graph_of(2000, edges);
  std::vector<int> levels;
  for (const bool reaches : {false, true}) {
    auto graph =
        local_devices(4, cpu(1), {.seed = reaches ? 5U : 0U, .reaches = reaches}).distribute(a, blocks_of_48);
    distributed::breadth_first search(graph);
    for (const int source : {7, 1999}) {
      const auto found = search.from(source);
      const std::vector<double> expected = lengths_by_loop(a, source, false);
      levels = found.levels.gather();
      for (std::size_t v = 0; v < levels.size(); ++v)
        ASSERT_EQ(levels[v], static_cast<int>(expected[v])) << v;
      EXPECT_GT(found.bottom_up, 0);
      EXPECT_LT(found.bottom_up, found.rounds * 4);
      const auto costs = graph.costs();
      std::int64_t bits = 0,
                   once = 0; // per level and pair of ranks: bits of all vertices, or 4 bytes for each once
      for (const auto& each : costs) {
        bits += (each.sent / 8 + each.targets * 8) * found.rounds;
        once += each.sent * 4 + each.targets * 4 * found.rounds;
      }
      EXPECT_LE(found.bytes_sent, std::min(bits, once));
    }
  }
}

TEST(SearchesOnRanks, FollowDirectedEdges) {
  csr_matrix<double> incoming; // of a ring: 0 -> 1 -> 2 -> ... -> 0; columns of row 40 do not ascend
  incoming.rows = incoming.cols = 90;
  for (int v = 0; v < 90; ++v) {
    if (v == 40)
      incoming.columns.insert(incoming.columns.end(), {41, 39, 38});
    else
      incoming.columns.push_back((v + 89) % 90);
    incoming.offsets.push_back(static_cast<int>(incoming.columns.size()));
  }
  incoming.values.assign(incoming.columns.size(), 1.0);
  for (const int ranks : {1, 3}) {
    auto graph = local_devices(ranks, cpu(1)).distribute(incoming, blocks_of_48);
    const auto found = bfs(graph, 30);
    const std::vector<int> levels = found.levels.gather(), parents = found.parents.gather();
    EXPECT_EQ(levels[39], 9);
    EXPECT_EQ(levels[40], 9) << "by the edge from 38";
    EXPECT_EQ(levels[29], 88);
    EXPECT_EQ(parents[40], 38);
    EXPECT_EQ(found.rounds, 89);
  }
}

TEST(SearchesOnRanks, CountTriangles) {
  for (const auto& [name, a] : graphs_to_search()) {
    std::int64_t expected = 0;
    const auto has_edge = [&a = a](int u, int v) {
      const auto begin = a.columns.begin() + a.offsets[static_cast<std::size_t>(u)];
      return std::binary_search(begin, a.columns.begin() + a.offsets[static_cast<std::size_t>(u) + 1], v);
    };
    for (int u = 0; u < a.rows; ++u)
      for (auto i = a.offsets[static_cast<std::size_t>(u)]; i < a.offsets[static_cast<std::size_t>(u) + 1];
           ++i)
        for (auto j = a.offsets[static_cast<std::size_t>(u)]; j < i; ++j)
          expected +=
              has_edge(a.columns[static_cast<std::size_t>(i)], a.columns[static_cast<std::size_t>(j)]);
    for (const int ranks : {1, 2, 3, 4, 7}) {
      auto graph = local_devices(ranks, cpu(1)).distribute(a, blocks_of_48);
      EXPECT_EQ(count_triangles(graph), expected / 3) << name << " on " << ranks;
    }
  }
}

TEST(SearchesOnRanks, FindComponents) {
  for (const auto& [name, a] : graphs_to_search()) {
    std::vector<int> least(static_cast<std::size_t>(a.rows), -1);
    for (int v = 0; v < a.rows; ++v) {
      if (least[static_cast<std::size_t>(v)] >= 0) continue;
      const auto lengths = lengths_by_loop(a, v, false);
      for (std::size_t u = 0; u < least.size(); ++u)
        if (!std::isinf(lengths[u])) least[u] = v;
    }
    for (const int ranks : {1, 2, 3, 4, 7}) {
      SCOPED_TRACE(name + " on " + std::to_string(ranks));
      auto graph = local_devices(ranks, cpu(1)).distribute(a, blocks_of_48);
      EXPECT_EQ(connected_components(graph).gather(), least);
    }
  }
}

TEST(SearchesOnRanks, RefuseWhatIsNoGraph) {
  const auto world = local_devices(2, cpu(1));
  auto graph = world.distribute(graph_of(5, {{0, 1}}));
  EXPECT_EQ(refusal_of([&] { bfs(graph, 5); }), "source = 5: must be a vertex, from 0 to 4");
  EXPECT_EQ(refusal_of([&] { sssp(graph, -1); }), "source = -1: must be a vertex, from 0 to 4");
  auto wide = world.distribute(csr_matrix<double>{1, 3, {0, 1}, {2}, {1.0}});
  EXPECT_EQ(refusal_of([&] { connected_components(wide); }),
            "a graph of 1 rows and 3 columns: it needs as many columns as rows, in the same ranges");
  auto cycle = world.distribute(csr_matrix<double>{2, 2, {0, 1, 2}, {1, 0}, {-1.0, -1.0}});
  expect_in(refusal_of([&] { sssp(cycle, 0); }),
            "rounds paths still get shorter: a cycle has a negative length");
}

TEST(PageRankOnRanks, HasTheSameBitsOnAnyNumberOfRanks) {
  for (const auto& [name, a] : graphs_to_search()) {
    SCOPED_TRACE(name);
    const auto vertices = static_cast<std::size_t>(a.rows);
    std::vector<int> degrees;
    for (std::size_t v = 0; v < vertices; ++v) degrees.push_back(a.offsets[v + 1] - a.offsets[v]);
    std::vector<double> expected(vertices, 1.0 / a.rows);
    for (int round = 0; round < 200; ++round) {
      double jumping = 0;
      std::vector<double> next(vertices);
      for (std::size_t v = 0; v < vertices; ++v) {
        if (degrees[v] == 0) jumping += expected[v];
        for (auto k = static_cast<std::size_t>(a.offsets[v]); k < static_cast<std::size_t>(a.offsets[v + 1]);
             ++k) {
          const auto u = static_cast<std::size_t>(a.columns[k]);
          next[v] += 0.85 * expected[u] / degrees[u];
        }
      }
      for (double& each : next) each += (0.15 + 0.85 * jumping) / a.rows;
      expected = next;
    }
    std::vector<double> one;
    std::int64_t iterations = 0;
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const auto world = local_devices(ranks, cpu(1));
      auto graph = world.distribute(a, blocks_of_48);
      const auto out_degrees = world.distribute(degrees, graph.rows());
      distributed::array<double, cpu> scores(world, graph.rows());
      const auto result = pagerank(graph, out_degrees, scores, {.tolerance = 1e-12});
      EXPECT_TRUE(result.converged);
      const std::vector<double> found = scores.gather();
      if (ranks == 1) {
        one = found;
        iterations = result.iterations;
        for (std::size_t v = 0; v < vertices; ++v) ASSERT_NEAR(found[v], expected[v], 1e-11) << v;
      }
      EXPECT_EQ(found, one) << ranks;
      EXPECT_EQ(result.iterations, iterations) << ranks;
    }
  }
  const auto world = local_devices(2, cpu(1));
  auto graph = world.distribute(graph_of(5, {{0, 1}}));
  distributed::array<double, cpu> scores(world, graph.rows());
  const auto degrees = world.distribute(std::vector<int>{1, 1, 0, 0, 0}, graph.rows());
  EXPECT_EQ(refusal_of([&] { pagerank(graph, degrees, scores, {.damping = 1}); }),
            "damping = 1: must be at least 0 and less than 1");
  EXPECT_EQ(refusal_of([&] { pagerank(graph, degrees, scores, {.weighted = true}); }),
            "ranks have no weighted or personal scores: leave both options out");
}

TEST(ConjugateGradientOnRanks, SolvesWithTheSameBitsOnAnyNumberOfRanks) {
  for (auto [name, a] : graphs_to_search()) {
    SCOPED_TRACE(name);
    csr_matrix<double> laplacian; // of the graph, plus the identity
    laplacian.rows = laplacian.cols = a.rows;
    for (int v = 0; v < a.rows; ++v) {
      const auto row = static_cast<std::size_t>(v);
      double sum = 1;
      for (auto k = static_cast<std::size_t>(a.offsets[row]);
           k < static_cast<std::size_t>(a.offsets[row + 1]); ++k) {
        laplacian.columns.push_back(a.columns[k]);
        laplacian.values.push_back(-a.values[k]);
        sum += a.values[k];
      }
      laplacian.columns.push_back(v);
      laplacian.values.push_back(sum);
      laplacian.offsets.push_back(static_cast<int>(laplacian.columns.size()));
    }
    std::vector<double> right, one;
    for (int v = 0; v < a.rows; ++v) right.push_back(std::sin(v));
    right[0] = 1;
    std::int64_t iterations = 0;
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const auto world = local_devices(ranks, cpu(2));
      auto A = world.distribute(laplacian, blocks_of_48);
      const auto b = world.distribute(right, A.rows());
      distributed::array<double, cpu> x(world, A.rows());
      const auto result = conjugate_gradient(A, b, x, {.tolerance = 1e-10});
      EXPECT_TRUE(result.converged());
      const std::vector<double> product = (A * x).gather(), found = x.gather();
      for (std::size_t v = 0; v < right.size(); ++v) ASSERT_NEAR(product[v], right[v], 1e-8) << v;
      if (ranks == 1) {
        one = found;
        iterations = result.iterations;
      }
      EXPECT_EQ(found, one) << ranks;
      EXPECT_EQ(result.iterations, iterations) << ranks;
    }
  }
}

TEST(ConjugateGradientOnRanks, SaysWhyItEnds) {
  const auto world = local_devices(2, cpu(1));
  const auto end_of = [&](const std::vector<double>& diagonal, const iterative_options& options) {
    csr_matrix<double> a{3, 3, {0, 1, 2, 3}, {0, 1, 2}, diagonal};
    auto A = world.distribute(a);
    const auto b = world.distribute(std::vector<double>{1, 2, 3}, A.rows());
    distributed::array<double, cpu> x(world, A.rows());
    return conjugate_gradient(A, b, x, options).end;
  };
  EXPECT_EQ(end_of({1, 2, 5}, {}), solve_end::converged);
  EXPECT_EQ(end_of({1, 2, 5}, {.max_iterations = 1}), solve_end::max_iterations);
  EXPECT_EQ(end_of({1, -2, 5}, {}), solve_end::not_positive_definite);
  EXPECT_EQ(end_of({1, std::numeric_limits<double>::quiet_NaN(), 5}, {}), solve_end::not_finite);
  EXPECT_EQ(refusal_of([&] { end_of({1, 1, 1}, {.tolerance = 2}); }),
            "tolerance = 2: must be at least 0 and less than 1");
  EXPECT_EQ(refusal_of([&] { end_of({1, 1, 1}, {.preconditioner = preconditioner_kind::jacobi}); }),
            "ranks have no preconditioners: use preconditioner_kind::none");
}

} // namespace
} // namespace evenly
