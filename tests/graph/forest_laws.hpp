// SPDX-License-Identifier: Apache-2.0
// minimum_spanning_forest on any executor: the edges that Kruskal's algorithm takes, by weight and then by number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "evenly/graph/spanning_forest.hpp"
#include "graph/graphs.hpp"
#include "graphs/analysis_laws.hpp"

namespace evenly::graph_tests {

/// A graph in the memory of the host, read by Kruskal's algorithm.
template <class Executor, class Graph> auto forest_by_kruskal(const Executor& exec, const Graph& on) {
  const auto& view = on.view();
  const auto all = [&]<class T>(const T* data, std::int64_t count) {
    return to_host(exec, std::span<const T>(data, data == nullptr ? 0 : static_cast<std::size_t>(count)));
  };
  const auto offsets = all(view.out.offsets, std::int64_t{view.out.vertices} + 1);
  const auto ends = all(view.out.ends, view.out.edges);
  const auto weights = all(view.weights, view.out.edges);
  auto out = view.out;
  out.offsets = offsets.data();
  out.ends = ends.data();
  return graphs::forest_by_kruskal(out, view.weights == nullptr ? nullptr : weights.data());
}

template <class Executor, class Graph> auto forest_of(const Executor& exec, const Graph& on) {
  const auto edges = minimum_spanning_forest(on);
  using edge = std::remove_cvref_t<decltype(*std::data(edges))>;
  return to_host(exec, std::span<const edge>(std::data(edges), std::size(edges)));
}

/// As it is, where each direction is an edge of its own, and as simple graph.
template <class Executor, class Weight, class Vertex>
void expect_forest(const Executor& exec, const test_graph<Weight, Vertex>& g) {
  SCOPED_TRACE("forest of " + g.name);
  const graph on(exec, g.view());
  EXPECT_EQ(forest_of(exec, on), forest_by_kruskal(exec, on));
  const auto simple = simple_graph(on);
  EXPECT_EQ(forest_of(exec, simple), forest_by_kruskal(exec, simple)) << "simple";
}

/// Weights in both halves of 64 bits, so that no type of 32 bits has them.
template <class Executor> void expect_forests_of_all_weights(const Executor& exec, const test_graph<int>& g) {
  expect_forest(exec, g);
  expect_forest(exec, converted<float>(g, [](int w) { return static_cast<float>(w % 5) - 2.5f; }));
  expect_forest(exec, converted<double>(g, [](int w) { return 1.0 / (w + 3); }));
  expect_forest(exec, converted<double>(g, [](int w) {
                  return w % 4 == 0   ? std::numeric_limits<double>::infinity()
                         : w % 4 == 1 ? -std::numeric_limits<double>::infinity()
                         : w % 4 == 2 ? -0.0
                                      : 0.0;
                }));
  expect_forest(exec,
                converted<std::int64_t>(g, [](int w) { return (w % 3 - 1) * (std::int64_t{1} << 40) + w; }));
  expect_forest(exec, converted<std::int64_t>(g, [](int w) { return std::int64_t{7} - w; }));
  graph_view<> bare = g.view();
  bare.weights = nullptr;
  const graph unweighted(exec, bare);
  EXPECT_EQ(forest_of(exec, unweighted), forest_by_kruskal(exec, unweighted)) << g.name;
}

/// Random edges, with loops and parallel ones among them, and weights in [0, weights). With many edges per vertex,
/// light ones are processed first.
inline test_graph<int> weighted_graph(int vertices, int edges, int weights, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  std::vector<test_edge> made;
  for (int e = 0; e < edges; ++e) made.push_back({below(vertices), below(vertices), below(weights)});
  return graph_of("random graph " + std::to_string(seed), vertices, std::move(made));
}

template <class Executor> void expect_forests_of_all_kinds(const Executor& exec) {
  for (const auto& each : graphs_of_all_kinds()) expect_forest(exec, each.first);
  expect_forests_of_all_weights(exec, weighted_graph(300, 700, 1000, 4));
  expect_forests_of_all_weights(exec, weighted_graph(60, 1440, 1000, 5));
  for (const test_graph<int>& g :
       {graph_of("no vertex", 0, {}), graph_of("isolated vertices", 30, {}),
        graph_of("a loop", 1, {{0, 0, 1}}),
        graph_of("parallel edges", 3, {{0, 1, 5}, {0, 1, 4}, {1, 0, 4}, {2, 1, 9}, {2, 2, 0}}),
        weighted_graph(200, 6000, 3, 6), weighted_graph(200, 6000, 1, 7)})
    expect_forest(exec, g);
}

} // namespace evenly::graph_tests
