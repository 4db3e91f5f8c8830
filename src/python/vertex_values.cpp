// SPDX-License-Identifier: Apache-2.0
#include "python/vertex_values.hpp"

#include "evenly/graph/betweenness.hpp"
#include "evenly/graph/core_numbers.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/pagerank.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "evenly/graph/triangles.hpp"
#include "python/graph_edges.hpp"

namespace evenly::python {

namespace {

/// Calls body(view) with the graph or its simple graph. If it is weighted, its values are float64.
template <class Body>
void with_graph(const matrix_arrays& graph, bool is_simple, bool is_weighted, const Body& body) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    graph_view<double, Vertex, Edge> given{edges};
    if (is_weighted) given.weights = graph.values.as<double>().data();
    if (is_simple)
      body(simple_graph(given, executor()).view());
    else
      body(given);
  });
}

} // namespace

ranking_totals pagerank(const matrix_arrays& graph, const ranking& how, const output& scores) {
  const graphs::pagerank_options options{.damping = how.damping,
                                         .tolerance = how.tolerance,
                                         .max_iterations = how.max_iterations,
                                         .weighted = how.is_weighted,
                                         .personalization = how.personalization.as<double>()};
  graphs::pagerank_totals totals;
  with_graph(graph, how.is_undirected, how.is_weighted, [&](const auto& view) {
    totals = evenly::pagerank(view, scores.as<double>(), options, executor());
  });
  return {totals.iterations, totals.error, totals.converged};
}

void core_numbers(const matrix_arrays& graph, bool simple, const output& numbers) {
  with_graph(graph, simple, false,
             [&]<class Vertex, class Edge>(const graph_view<double, Vertex, Edge>& view) {
               evenly::core_numbers(view, numbers.as<Vertex>(), executor());
             });
}

std::int64_t triangles(const matrix_arrays& graph, bool simple, const output& counts) {
  std::int64_t all = 0;
  with_graph(graph, simple, false, [&](const auto& view) {
    all = graphs::find_triangles(executor(), view, counts.as<std::int64_t>());
  });
  return all;
}

void betweenness(const matrix_arrays& graph, const input& sources, const betweenness_options& options,
                 const output& scores) {
  with_graph(graph, options.simple, false,
             [&]<class Vertex, class Edge>(graph_view<double, Vertex, Edge> view) {
               if (options.is_undirected) view.in = view.out;
               graphs::find_betweenness(executor(), view, sources.as<Vertex>(),
                                        options.normalized ? graphs::betweenness_scale::normalized
                                                           : graphs::betweenness_scale::sums,
                                        scores.as<double>());
             });
}

} // namespace evenly::python
