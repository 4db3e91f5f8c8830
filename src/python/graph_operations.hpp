// SPDX-License-Identifier: Apache-2.0
// Operations on graphs, on cpu: searches; depth-first searches, reachability and components; values of vertices. On one
// core: searches in the order of a serial search with a queue, and rows made of a list of edges.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

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

/// The contracts of evenly::dfs (graph/dfs.hpp), evenly::reachable (graph/reachable.hpp), evenly::strong_components
/// (graph/strong_components.hpp) and evenly::connected_components (graph/connected_components.hpp). Parents, order and
/// labels have the type of the columns; reached is uint8.
void dfs(const matrix_arrays& graph, int source, const output& parents, const output& order);
void reachable(const matrix_arrays& graph, int source, const output& reached);
void strong_components(const matrix_arrays& graph, const output& labels);
void connected_components(const matrix_arrays& graph, const output& labels);

/// The contract of evenly::pagerank (graph/pagerank.hpp). Scores, values and personalization are float64; the latter
/// has one element per vertex, or none. undirected: of the simple graph. symmetric: the rows are also the columns.
/// Returns the number of iterations, the error, and whether it converged.
std::tuple<std::int64_t, double, bool> pagerank(const matrix_arrays& graph, double damping, double tolerance,
                                                std::int64_t max_iterations, bool is_weighted,
                                                bool is_undirected, bool is_symmetric,
                                                const input& personalization, const output& scores);

/// The contract of evenly::core_numbers (graph/core_numbers.hpp). simple: of the simple undirected graph. Numbers have
/// the type of the columns.
void core_numbers(const matrix_arrays& graph, bool simple, const output& numbers);

/// The contract of evenly::triangles (graph/triangles.hpp). simple: of the simple undirected graph. Counts are int64.
/// Returns the number of triangles of the graph.
std::int64_t triangles(const matrix_arrays& graph, bool simple, const output& counts);

/// The contract of evenly::clustering (graph/clustering.hpp). simple: of the simple undirected graph. Shares are
/// double.
void clustering(const matrix_arrays& graph, bool simple, const output& shares);

/// The contract of evenly::betweenness (graph/betweenness.hpp). Sources have the type of columns, scores are double.
/// simple: of the simple undirected graph. is_undirected: each edge has a reverse edge.
void betweenness(const matrix_arrays& graph, const input& sources, bool simple, bool is_undirected,
                 bool normalized, const output& scores);

/// The numbers of the edges that evenly::minimum_spanning_forest (graph/spanning_forest.hpp) returns; edges: int64, at
/// least vertices - 1. Values are float64 or int64. is_symmetric: each edge has a reverse edge of the same weight.
/// Returns how many there are.
std::int64_t spanning_forest(const matrix_arrays& graph, bool is_symmetric, const output& edges);

/// The contracts of evenly::colour and evenly::maximal_independent_set (graph/colouring.hpp). simple: of the simple
/// undirected graph. by_degree: largest_first instead of random. Colours and members are int32, one for each vertex.
/// Returns the number of members.
void colour(const matrix_arrays& graph, bool simple, bool by_degree, std::uint64_t seed,
            const output& colours);
std::int64_t independent_set(const matrix_arrays& graph, bool simple, std::uint64_t seed,
                             const output& members);
/// The serial greedy colouring in the given order of vertices, each once; all are int32. Each edge has a reverse edge.
void colour_in_order(const matrix_arrays& graph, const input& order, const output& colours);

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
