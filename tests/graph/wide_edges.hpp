// SPDX-License-Identifier: Apache-2.0
// Searches of graphs whose edges are counted in 64 bits and vertices in 32, as those of more than 2^31 edges have to
// be: the laws of src/graphs/laws.hpp hold, and serial searches find the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/graph.hpp"
#include "graph/graphs.hpp"
#include "graphs/laws.hpp"

namespace evenly::graph_tests {

/// Calls each(graph_view<int, int, std::int64_t> on the host, graph, source).
template <class Each> void for_wide_graphs(const Each& each) {
  for (const test_graph<int>& g :
       {uneven_graph(500), grid_graph(14, 11), complete_graph(40), graph_of("", 1, {})}) {
    SCOPED_TRACE(g.name);
    const std::vector<std::int64_t> offsets(g.offsets.begin(), g.offsets.end());
    const graph_view<int, int, std::int64_t> view{
        {g.vertices(), offsets.back(), offsets.data(), g.targets.data()}, {}, g.weights.data()};
    each(view, g, 0);
  }
}

/// find(view, source, levels, parents): a breadth-first search on exec, where view has edges that arrive as well.
template <class Executor, class Find>
void expect_bfs_of_wide_edges(const Executor& exec, const std::string& name, const Find& find) {
  SCOPED_TRACE(name);
  for_wide_graphs([&](const auto& view, const test_graph<int>& g, int source) {
    graph on(exec, view);
    on.make_in_edges(exec);
    const auto levels = make_buffer<int>(exec, static_cast<std::size_t>(g.vertices()));
    const auto parents = make_buffer<int>(exec, levels.size());
    find(on.view(), source, levels.span(), parents.span());
    const std::vector<int> found = to_host(exec, levels);
    EXPECT_EQ(found, levels_by_queue(g, source));
    EXPECT_EQ(graphs::wrong_with_bfs(view.out, source, found, to_host(exec, parents)).value_or(""), "");
  });
}

/// find(view, source, distances, parents): likewise, for shortest paths.
template <class Executor, class Find>
void expect_sssp_of_wide_edges(const Executor& exec, const std::string& name, const Find& find) {
  SCOPED_TRACE(name);
  for_wide_graphs([&](const auto& view, const test_graph<int>& g, int source) {
    const graph on(exec, view);
    const auto distances = make_buffer<int>(exec, static_cast<std::size_t>(g.vertices()));
    const auto parents = make_buffer<int>(exec, distances.size());
    find(on.view(), source, distances.span(), parents.span());
    const std::vector<int> found = to_host(exec, distances);
    EXPECT_EQ(found, distances_by_dijkstra<int>(g, source));
    EXPECT_EQ(graphs::wrong_with_sssp(view, source, found, to_host(exec, parents)).value_or(""), "");
  });
}

} // namespace evenly::graph_tests
