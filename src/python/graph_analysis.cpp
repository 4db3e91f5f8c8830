// SPDX-License-Identifier: Apache-2.0
#include "python/graph_analysis.hpp"

#include "evenly/graph/core_numbers.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/pagerank.hpp"
#include "evenly/graph/simple_graph.hpp"
#include "python/graph_edges.hpp"

namespace evenly::python {

ranking_totals pagerank(const matrix_arrays& graph, const ranking& how, const output& scores) {
  const graphs::pagerank_options options{.damping = how.damping,
                                         .tolerance = how.tolerance,
                                         .max_iterations = how.max_iterations,
                                         .weighted = how.is_weighted,
                                         .personalization = how.personalization.as<double>()};
  graphs::pagerank_totals totals;
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    graph_view<double, Vertex, Edge> view{edges};
    if (how.is_weighted) view.weights = graph.values.as<double>().data();
    const auto rank = [&](const auto& of) {
      totals = evenly::pagerank(of, scores.as<double>(), options, executor());
    };
    if (how.is_undirected)
      rank(simple_graph(view, executor()).view());
    else
      rank(view);
  });
  return {totals.iterations, totals.error, totals.converged};
}

void core_numbers(const matrix_arrays& graph, bool simple, const output& numbers) {
  with_edges(graph, [&]<class Vertex, class Edge>(const adjacency<Vertex, Edge>& edges) {
    const graph_view<double, Vertex, Edge> given{edges};
    const auto number = [&](const auto& of) { evenly::core_numbers(of, numbers.as<Vertex>(), executor()); };
    if (simple)
      number(simple_graph(given, executor()).view());
    else
      number(given);
  });
}

} // namespace evenly::python
