// SPDX-License-Identifier: Apache-2.0
// simple_graph on any executor: the same graph as a set of pairs gives, serially.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/graph/simple_graph.hpp"
#include "graph/graph_laws.hpp"
#include "graph/graphs.hpp"

namespace evenly::graph_tests {

/// Both directions of each pair of different vertices with an edge, with the lightest weight, in order.
template <class Weight, class Vertex>
std::vector<std::tuple<Vertex, Vertex, Weight>> simple_edges_by_map(const test_graph<Weight, Vertex>& g) {
  std::map<std::pair<Vertex, Vertex>, Weight> lightest;
  for (Vertex from = 0; from < g.vertices(); ++from)
    for (Vertex e = g.offsets[from]; e < g.offsets[from + 1]; ++e)
      if (from != g.targets[e])
        for (const auto& pair : {std::pair(from, g.targets[e]), std::pair(g.targets[e], from)}) {
          const auto [place, is_new] = lightest.try_emplace(pair, g.weights[e]);
          if (!is_new) place->second = std::min(place->second, g.weights[e]);
        }
  std::vector<std::tuple<Vertex, Vertex, Weight>> edges;
  for (const auto& [pair, weight] : lightest) edges.emplace_back(pair.first, pair.second, weight);
  return edges;
}

template <class Executor, class Weight, class Vertex>
void expect_simple_graph(const Executor& exec, const test_graph<Weight, Vertex>& g) {
  const auto simple = simple_graph(graph(exec, g.view()));
  const auto& view = simple.view();
  EXPECT_EQ(view.out.vertices, g.vertices()) << g.name;
  EXPECT_TRUE(view.is_undirected()) << g.name;
  EXPECT_EQ(edges_of(exec, view.out, view.weights), simple_edges_by_map(g)) << g.name;
  graphs::check_edges(exec, view.out);
}

/// Without weights there are the same edges.
template <class Executor> void expect_simple_graph_without_weights(const Executor& exec) {
  const test_graph<int> g = uneven_graph(200);
  graph_view<> bare = g.view();
  bare.weights = nullptr;
  const auto simple = simple_graph(graph(exec, bare));
  EXPECT_EQ(simple.view().weights, nullptr);
  const auto with_weights = simple_graph(graph(exec, g.view()));
  const auto ends = [&](const auto& of) {
    return to_host(exec, std::span<const int>(of.view().out.ends, static_cast<std::size_t>(of.edges())));
  };
  EXPECT_EQ(ends(simple), ends(with_weights));
}

template <class Executor> void expect_simple_graphs(const Executor& exec) {
  expect_simple_graph(exec, test_graph<int>{"no vertices", {0}, {}, {}});
  expect_simple_graph(exec, graph_of("both directions", 4, {{0, 1, 5}, {1, 0, 3}, {1, 0, 4}, {3, 3, 1}}));
  for (const auto& [g, source] : graphs_of_all_kinds()) expect_simple_graph(exec, g);
  expect_simple_graph(exec,
                      converted<float, std::int64_t>(uneven_graph(300), [](int w) { return w * 0.5f; }));
  expect_simple_graph_without_weights(exec);
}

} // namespace evenly::graph_tests
