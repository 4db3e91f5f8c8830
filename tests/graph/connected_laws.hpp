// SPDX-License-Identifier: Apache-2.0
// connected_components on any executor: the labels are those of strong components of the graph in both directions.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/graph/connected_components.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "graph/graphs.hpp"
#include "graph/traversal_laws.hpp"
#include "graphs/traversal_laws.hpp"

namespace evenly::graph_tests {

/// The graph with the reverse of each edge.
template <class Vertex> test_graph<int, Vertex> in_both_directions(const test_graph<int, Vertex>& g) {
  std::vector<test_edge> edges;
  for (Vertex v = 0; v < g.vertices(); ++v)
    for (Vertex e = g.offsets[v]; e < g.offsets[v + 1]; ++e)
      edges.push_back({static_cast<int>(v), static_cast<int>(g.targets[e]), 1});
  const test_graph<int> both = graph_of(g.name, static_cast<int>(g.vertices()), std::move(edges), true);
  return converted<int, Vertex>(both, [](int weight) { return weight; });
}

/// Without and with edges that arrive, and declared undirected.
template <class Executor, class Vertex>
void expect_connected(const Executor& exec, const test_graph<int, Vertex>& g) {
  SCOPED_TRACE("connected components of " + g.name);
  const std::vector<Vertex> expected = components_by_tarjan(in_both_directions(g));
  EXPECT_EQ(graphs::wrong_with_connected_components(g.view().out, expected).value_or(""), "");
  graph on(exec, g.view());
  const auto labels = make_buffer<Vertex>(exec, static_cast<std::size_t>(g.vertices()));
  connected_components(on, labels.span());
  EXPECT_EQ(to_host(exec, labels), expected);
  on.make_in_edges();
  connected_components(on, labels.span());
  EXPECT_EQ(to_host(exec, labels), expected) << "with the edges that arrive";
  connected_components(simple_graph(on), labels.span());
  EXPECT_EQ(to_host(exec, labels), expected) << "of the simple graph";
}

/// `stars` stars of `size` vertices with the greatest vertex at the centre, in one chain if `are_joined`. Most edges of
/// a centre are beyond the neighbours that are linked first.
inline test_graph<int> chain_of_stars(int stars, int size, bool are_joined) {
  std::vector<test_edge> edges;
  for (int star = 0; star < stars; ++star) {
    const int centre = (star + 1) * size - 1;
    for (int v = star * size; v < centre; ++v) edges.push_back({centre, v, 1});
    if (are_joined && star > 0) edges.push_back({centre, centre - size, 1});
  }
  return graph_of(are_joined ? "joined stars" : "stars", stars * size, std::move(edges));
}

template <class Executor> void expect_connected_of_all_kinds(const Executor& exec) {
  for (const auto& each : graphs_of_all_kinds()) expect_connected(exec, each.first);
  for (const test_graph<int>& g :
       {graph_of("no vertex", 0, {}), graph_of("isolated vertices", 300, {}), chain_of_rings(40, 3),
        chain_of_stars(5, 120, false), chain_of_stars(5, 120, true), random_graph(3000, 1500, 4)})
    expect_connected(exec, g);
}

} // namespace evenly::graph_tests
