// SPDX-License-Identifier: Apache-2.0
#include "python/graph_operations.hpp"

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

std::tuple<std::int64_t, double, bool> pagerank(const matrix_arrays& graph, double damping, double tolerance,
                                                std::int64_t max_iterations, bool is_weighted,
                                                bool is_undirected, bool is_symmetric,
                                                const input& personalization, const output& scores) {
  const graphs::pagerank_options options{.damping = damping,
                                         .tolerance = tolerance,
                                         .max_iterations = max_iterations,
                                         .weighted = is_weighted,
                                         .personalization = personalization.as<double>()};
  graphs::pagerank_totals totals;
  with_graph(graph, is_undirected, is_weighted, [&](auto view) {
    if (is_symmetric) {
      view.in = view.out;
      view.in_weights = view.weights;
    }
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

void betweenness(const matrix_arrays& graph, const input& sources, bool simple, bool is_undirected,
                 bool normalized, const output& scores) {
  with_graph(graph, simple, false, [&]<class Vertex, class Edge>(graph_view<double, Vertex, Edge> view) {
    if (is_undirected) view.in = view.out;
    graphs::find_betweenness(executor(), view, sources.as<Vertex>(),
                             normalized ? graphs::betweenness_scale::normalized
                                        : graphs::betweenness_scale::sums,
                             scores.as<double>());
  });
}

} // namespace evenly::python
