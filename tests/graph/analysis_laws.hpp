// SPDX-License-Identifier: Apache-2.0
// pagerank and core_numbers on any executor: scores against a slow iteration in double precision, core numbers against
// their definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/core_numbers.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/pagerank.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "graph/graphs.hpp"
#include "graphs/analysis_laws.hpp"

namespace evenly::graph_tests {

/// Scores by 600 iterations with a dense vector, jumps of vertices without edges included.
template <class Weight, class Vertex>
std::vector<double> slow_scores(const test_graph<Weight, Vertex>& g, const pagerank_options& options) {
  const auto size = static_cast<std::size_t>(g.vertices());
  std::vector<double> jumps(size, 1.0 / static_cast<double>(size)), scores = jumps;
  double all = 0;
  for (const double each : options.personalization) all += each;
  for (std::size_t v = 0; v < options.personalization.size(); ++v)
    jumps[v] = options.personalization[v] / all;
  for (int iteration = 0; iteration < 600; ++iteration) {
    std::vector<double> next(size);
    double jumping = 1 - options.damping;
    for (Vertex v = 0; v < g.vertices(); ++v) {
      double sum = 0;
      for (Vertex e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
        sum += options.weighted ? static_cast<double>(g.weights[e]) : 1.0;
      if (sum == 0) jumping += options.damping * scores[v];
      for (Vertex e = g.offsets[v]; sum > 0 && e < g.offsets[v + 1]; ++e)
        next[g.targets[e]] +=
            options.damping * scores[v] * (options.weighted ? static_cast<double>(g.weights[e]) : 1.0) / sum;
    }
    for (std::size_t v = 0; v < size; ++v) next[v] += jumping * jumps[v];
    scores = next;
  }
  return scores;
}

template <class Executor, class Weight, class Vertex>
void expect_pagerank(const Executor& exec, const test_graph<Weight, Vertex>& g,
                     const pagerank_options& options) {
  const graph on(exec, g.view());
  auto scores = make_buffer<double>(exec, static_cast<std::size_t>(g.vertices()));
  const graphs::pagerank_totals totals = pagerank(on, scores.span(), options);
  EXPECT_TRUE(totals.converged) << g.name << ": " << totals.error;
  EXPECT_LE(totals.error, options.tolerance) << g.name;
  const std::vector<double> got = to_host(exec, scores);
  graph_view<Weight, Vertex, Vertex> view = g.view();
  if (!options.weighted) view.weights = nullptr;
  EXPECT_EQ(graphs::wrong_with_pagerank(view, options, got), std::nullopt) << g.name;
  const std::vector<double> want = slow_scores(g, options);
  double distance = 0;
  for (std::size_t v = 0; v < want.size(); ++v) distance += std::abs(got[v] - want[v]);
  EXPECT_LE(distance, (options.tolerance + 2e-7) / (1 - options.damping)) << g.name;
}

/// Places of contributions do not change a bit.
template <class Executor> void expect_same_bits_with_hubs_first(const Executor& exec) {
  for (const test_graph<int>& g : {uneven_graph(3000), late_hubs(40, 4)}) {
    const graph on(exec, g.view());
    for (const double tolerance : {1e-5, 1e-9})
      for (const bool weighted : {false, true}) {
        const pagerank_options options{.tolerance = tolerance, .weighted = weighted};
        const auto scores = [&](std::int64_t placed_bytes) {
          graphs::pagerank_solver solver(exec, automatic{}, on.view(), options, {placed_bytes, 8, 0.01});
          const auto found = make_buffer<double>(exec, static_cast<std::size_t>(g.vertices()));
          solver.run(found.span());
          EXPECT_EQ(solver.has_places(), placed_bytes == 0);
          return to_host(exec, found);
        };
        EXPECT_EQ(scores(0), scores(1 << 30));
      }
  }
}

/// Core numbers by their definition: vertices with fewer than k neighbours are removed until none is left; the others
/// are in the k-core.
template <class Vertex, class Edge>
std::vector<Vertex> core_numbers_by_definition(const adjacency<Vertex, Edge>& graph) {
  std::vector<Vertex> numbers(static_cast<std::size_t>(graph.vertices));
  std::vector<bool> is_left(numbers.size(), true);
  for (Vertex k = 1; std::find(is_left.begin(), is_left.end(), true) != is_left.end(); ++k) {
    for (bool is_changed = true; is_changed;) {
      is_changed = false;
      for (Vertex v = 0; v < graph.vertices; ++v) {
        const auto neighbours =
            std::count_if(graph.ends + graph.offsets[v], graph.ends + graph.offsets[v + 1],
                          [&](Vertex u) { return is_left[u]; });
        if (!is_left[v] || neighbours >= k) continue;
        is_left[v] = false;
        is_changed = true;
      }
    }
    for (Vertex v = 0; v < graph.vertices; ++v)
      if (is_left[v]) numbers[v] = k;
  }
  return numbers;
}

template <class Executor, class Weight, class Vertex>
void expect_core_numbers(const Executor& exec, const test_graph<Weight, Vertex>& g) {
  const auto simple = simple_graph(graph(exec, g.view()));
  auto numbers = make_buffer<Vertex>(exec, static_cast<std::size_t>(g.vertices()));
  const std::int64_t rounds = core_numbers(simple, numbers.span());
  const auto on_host = simple.to(cpu(1));
  const std::vector<Vertex> want = core_numbers_by_definition(on_host.view().out);
  EXPECT_EQ(to_host(exec, numbers), want) << g.name;
  if constexpr (Executor::serial_blocks) { // without a schedule one thread peels small graphs
    EXPECT_EQ(core_numbers(simple, numbers.span(), on(exec).with(merge_path{})), rounds) << g.name;
    EXPECT_EQ(to_host(exec, numbers), want) << g.name;
  }
}

using graphs_and_vertices = std::vector<std::pair<test_graph<int>, int>>;

/// Each graph has a vertex that jumps lead to.
template <class Executor>
void expect_pageranks(const Executor& exec, const graphs_and_vertices& graphs = graphs_of_all_kinds()) {
  for (const auto& [g, vertex] : graphs) {
    std::vector<double> personal(static_cast<std::size_t>(g.vertices()));
    personal[static_cast<std::size_t>(vertex)] = 2;
    personal[0] += 1;
    expect_pagerank(exec, g, {});
    expect_pagerank(exec, g, {.damping = 0.5, .tolerance = 1e-9, .weighted = true});
    expect_pagerank(exec, g, {.damping = 0.6, .weighted = true, .personalization = personal});
  }
  expect_pagerank(exec, graph_of("no vertices", 0, {}), {});
}
/// With parallel edges, self-loops, vertices without edges, and weights of 0.
inline graphs_and_vertices small_graphs() {
  return {{graph_of("one vertex", 1, {}), 0},
          {graph_of("small", 5, {{0, 1, 1}, {0, 1, 2}, {1, 1, 3}, {2, 0, 0}, {3, 2, 4}, {3, 4, 1}}), 2},
          {uneven_graph(150), 7}};
}

template <class Executor>
void expect_cores(const Executor& exec, const graphs_and_vertices& graphs = graphs_of_all_kinds()) {
  for (const auto& [g, vertex] : graphs) expect_core_numbers(exec, g);
  expect_core_numbers(exec, graph_of("no vertices", 0, {}));
}

/// With vertices of 64 bits.
template <class Executor> void expect_analysis_of_wide_graphs(const Executor& exec) {
  expect_pagerank(exec, converted<double, std::int64_t>(uneven_graph(100), [](int w) { return w * 1e-30; }),
                  {.damping = 0.5, .weighted = true});
  expect_core_numbers(exec, converted<float, std::int64_t>(uneven_graph(100), [](int) { return 1.0f; }));
}

} // namespace evenly::graph_tests
