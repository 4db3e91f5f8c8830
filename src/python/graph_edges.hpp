// SPDX-License-Identifier: Apache-2.0
// Matrices of Python as graphs.
#pragma once

#include "evenly/graph/graph_view.hpp"
#include "python/matrix_views.hpp"

namespace evenly::python {

template <class Vertex, class Edge> adjacency<Vertex, Edge> edges_of(const matrix_arrays& a) {
  return {a.rows, static_cast<Edge>(a.columns.rows), a.offsets.as<Edge>().data(),
          a.columns.as<Vertex>().data()};
}

/// Calls body(edges) with the adjacency<Vertex, Edge> of a matrix. Vertices have the type of its columns, edges that of
/// its offsets.
template <class Body> void with_edges(const matrix_arrays& a, const Body& body) {
  with_index_types(a, [&]<class Edge, class Vertex>(Edge, Vertex) { body(edges_of<Vertex, Edge>(a)); });
}

} // namespace evenly::python
