// SPDX-License-Identifier: Apache-2.0
// Triangles and betweenness of the vertices of graphs, on cpu.
#pragma once

#include <cstdint>

#include "python/products.hpp"

namespace evenly::python {

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
