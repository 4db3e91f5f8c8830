// SPDX-License-Identifier: Apache-2.0
#include "python/graph_scores.hpp"

#include <cstdint>

#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "evenly/graph/triangles.hpp"
#include "python/graph_edges.hpp"

namespace evenly::python {

namespace {

/// Calls body(view) with the graph or its simple graph.
template <class Body> void with_graph(const matrix_arrays& graph, bool simple, const Body& body) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    const graph_view<int, Vertex, Edge> given{edges};
    if (simple)
      body(simple_graph(given, executor()).view());
    else
      body(given);
  });
}

} // namespace

std::int64_t triangles(const matrix_arrays& graph, bool simple, const output& counts) {
  std::int64_t all = 0;
  with_graph(graph, simple, [&](const auto& view) {
    all = graphs::find_triangles(executor(), view, counts.as<std::int64_t>());
  });
  return all;
}

void betweenness(const matrix_arrays& graph, const input& sources, const betweenness_options& options,
                 const output& scores) {
  with_graph(graph, options.simple, [&]<class Vertex, class Edge>(graph_view<int, Vertex, Edge> view) {
    if (options.is_undirected) view.in = view.out;
    graphs::find_betweenness(executor(), view, sources.as<Vertex>(),
                             options.normalized ? graphs::betweenness_scale::normalized
                                                : graphs::betweenness_scale::sums,
                             scores.as<double>());
  });
}

} // namespace evenly::python
