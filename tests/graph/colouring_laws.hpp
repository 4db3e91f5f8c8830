// SPDX-License-Identifier: Apache-2.0
// colour and maximal_independent_set on any executor: the results of the serial greedy algorithms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/colouring.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "graph/graphs.hpp"
#include "graphs/analysis_laws.hpp"

namespace evenly::graph_tests {

using graphs::colour_options, graphs::colour_order;

template <class Executor, class Graph>
void expect_colours_of(const Executor& exec, const Graph& on, std::uint64_t seed) {
  const auto on_host = on.to(cpu(1));
  const auto& out = on_host.view().out;
  using vertex = std::remove_cvref_t<decltype(out.vertices)>;
  const auto all = [&](const auto& found) {
    return to_host(exec, std::span<const vertex>(std::data(found), std::size(found)));
  };
  for (const colour_order order : {colour_order::largest_first, colour_order::random}) {
    const colour_options options{seed, order};
    EXPECT_EQ(graphs::wrong_with_colours(out, options, all(colour(on, options))), std::nullopt);
  }
  const std::vector<vertex> colours = graphs::greedy_colours(out, {seed, colour_order::random});
  std::vector<vertex> members;
  for (vertex v = 0; v < out.vertices; ++v)
    if (colours[v] == 0) members.push_back(v);
  EXPECT_EQ(all(maximal_independent_set(on, seed)), members);
}

template <class Executor, class Weight, class Vertex>
void expect_colours(const Executor& exec, const test_graph<Weight, Vertex>& g, std::uint64_t seed = 1) {
  SCOPED_TRACE("colours of " + g.name);
  const graph on(exec, g.view());
  expect_colours_of(exec, simple_graph(on), seed);
}

template <class Executor> void expect_colours_of_all_kinds(const Executor& exec) {
  for (const auto& each : graphs_of_all_kinds()) expect_colours(exec, each.first);
  expect_colours(exec, complete_graph(150), 3);
  for (const test_graph<int>& g : {graph_of("no vertex", 0, {}), graph_of("isolated vertices", 30, {}),
                                   complete_graph(64), complete_graph(65)})
    expect_colours(exec, g);
  const auto parallel = graph_of("loops and parallel edges", 4,
                                 {{0, 0, 1}, {0, 1, 1}, {0, 1, 1}, {1, 2, 1}, {2, 0, 1}, {3, 3, 1}}, true);
  expect_colours_of(exec, graph(exec, parallel.view()), 5);
}

} // namespace evenly::graph_tests
