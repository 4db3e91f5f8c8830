// SPDX-License-Identifier: Apache-2.0
// Values of the vertices of graphs, on cpu: PageRank, core numbers, triangles, betweenness.
#pragma once

#include <cstdint>

#include "python/products.hpp"

namespace evenly::python {

struct ranking {
  double damping, tolerance;
  std::int64_t max_iterations;
  bool is_weighted;      ///< by the values, which are float64
  bool is_undirected;    ///< the simple graph
  input personalization; ///< float64, one per vertex; of 0 rows: none
};
struct ranking_totals {
  std::int64_t iterations;
  double error;
  bool converged;
};

/// The contracts of evenly::pagerank (graph/pagerank.hpp) and evenly::core_numbers (graph/core_numbers.hpp). simple: of
/// the simple undirected graph. Scores are float64; numbers have the type of the columns.
ranking_totals pagerank(const matrix_arrays& graph, const ranking& how, const output& scores);
void core_numbers(const matrix_arrays& graph, bool simple, const output& numbers);

/// The contract of evenly::triangles (graph/triangles.hpp). simple: of the simple undirected graph. Counts are int64.
/// Returns the number of triangles of the graph.
std::int64_t triangles(const matrix_arrays& graph, bool simple, const output& counts);

/// The contract of evenly::betweenness (graph/betweenness.hpp). Sources have the type of columns, scores are double.
struct betweenness_options {
  bool simple;        ///< of the simple undirected graph
  bool is_undirected; ///< each edge has a reverse edge
  bool normalized;
};
void betweenness(const matrix_arrays& graph, const input& sources, const betweenness_options& options,
                 const output& scores);

} // namespace evenly::python
