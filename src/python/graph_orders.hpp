// SPDX-License-Identifier: Apache-2.0
// Graphs in the order of their edges, on one core: searches that visit vertices in the order in which a serial search
// with a queue does, and rows made of a list of edges.
#pragma once

#include <cstdint>
#include <vector>

#include "python/products.hpp"

namespace evenly::python {

/// Breadth-first search. Writes the vertices in the order in which they are found, and the parent of each; the source
/// is its own. Vertices have the type of columns. Returns for each depth d up to max_depth the number of vertices found
/// with at most that depth.
std::vector<std::int64_t> bfs_in_order(const matrix_arrays& graph, int source, std::int64_t max_depth,
                                       const output& order, const output& parents);

/// The order in which Dijkstra's algorithm (Numerische Mathematik, 1959) takes vertices from a heap that is ordered by
/// distance, then by the time of the entry, and the vertex that made the entry.
/// distances: of all vertices, as sssp computes them. order: the reached vertices by ascending distance; those of equal
/// distances are reordered. parents: one for each vertex; that of the source is itself.
void order_paths(const matrix_arrays& graph, const input& distances, const output& order,
                 const output& parents);

/// Rows of edges. Columns of a row are in the order of their first edges; `last` has the number of the last edge of
/// each entry. undirected: each edge is in both of its rows.
struct rows_of_edges {
  made_array offsets; ///< int64
  made_array columns; ///< int32
  made_array last;    ///< int64
};
rows_of_edges make_rows(int vertices, const input& sources, const input& targets, bool is_undirected);

} // namespace evenly::python
