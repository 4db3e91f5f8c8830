// SPDX-License-Identifier: Apache-2.0
// Searches of graphs.
#pragma once

#include "python/kept_plan.hpp"
#include "python/products.hpp"

namespace evenly::python {

/// Which edges arrive at vertices: of a directed graph, null or the transposed matrix; else the matrix itself. A
/// transposed matrix with columns of another type than the graph's has no effect.
struct in_edges {
  const matrix_arrays* transposed = nullptr;
  bool is_undirected = false;
};

/// The contracts of evenly::bfs and evenly::sssp (graph/searches.hpp). Levels and parents have the type of the columns;
/// weights are float32, float64 or int64, and distances of the same type.
void bfs(const matrix_arrays& graph, const in_edges& in, int source, bool any_parent, const output& levels,
         const output& parents);
void sssp(const matrix_arrays& graph, int source, const output& distances, const output& parents);

/// The same, level by level, under a schedule of searches. Levels and parents are int32; columns of int64 are copied as
/// int32 meanwhile. Throws invalid_argument for other schedules, automatic too.
void bfs_under(const place& where, const matrix_arrays& graph, int source, const output& levels,
               const output& parents);
void sssp_under(const place& where, const matrix_arrays& graph, int source, const output& distances,
                const output& parents);

} // namespace evenly::python
