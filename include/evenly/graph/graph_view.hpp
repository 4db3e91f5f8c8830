// SPDX-License-Identifier: Apache-2.0
// Views of a graph for algorithms: the outgoing edges of each vertex in compressed rows, and optionally the incoming
// edges (graph.hpp) and weights.
//
// A vertex is a tile, an edge an atom. Vertices are numbered from 0. The number of an edge is its position among the
// outgoing edges. Self-loops and parallel edges are allowed.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly::graphs {

/// Edges in compressed rows: those of vertex v are [offsets[v], offsets[v + 1]); offsets[0] is 0. The pointers are on
/// the executor; the view owns nothing.
template <signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int> struct adjacency {
  using vertex_type = Vertex;
  using edge_type = Edge;

  Vertex vertices = 0;
  Edge edges = 0;
  const Edge* offsets = nullptr; ///< vertices + 1 values
  const Vertex* ends = nullptr;  ///< the vertex at the other end of each edge

  csr_tile_set<Edge, Vertex> tiles() const { return {offsets, vertices}; }
};

/// A view of a graph. Weight: int, std::int64_t, float or double.
template <class Weight = int, signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int>
struct graph_view {
  using weight_type = Weight;

  adjacency<Vertex, Edge> out;        ///< ends are targets
  adjacency<Vertex, Edge> in = {};    ///< ends are sources; offsets are null if absent
  const Weight* weights = nullptr;    ///< of the edges in `out`; null if absent
  const Weight* in_weights = nullptr; ///< of the edges in `in`

  bool has_in_edges() const { return in.offsets != nullptr; }
  /// Whether incoming and outgoing edges are the same.
  bool is_undirected() const { return has_in_edges() && in.offsets == out.offsets; }
};

static_assert(std::is_trivially_copyable_v<graph_view<>>);

} // namespace evenly::graphs

namespace evenly::detail {

inline void require_square(int rows, int cols) {
  require(rows == cols, [&] {
    return concat("a matrix of ", rows, " rows and ", cols, " columns is not a graph: it must be square");
  });
}

} // namespace evenly::detail

namespace evenly::graphs {

/// A view of a square matrix as a graph: each entry is an edge from its row to its column, with its value as weight.
/// The matrix outlives the view. Throws invalid_argument if the matrix is not square.
template <class Weight, class Edge, class Executor>
graph_view<Weight, int, Edge> graph_view_of(const csr_matrix<Weight, Edge, Executor>& edges) {
  detail::require_square(edges.rows, edges.cols);
  detail::require_csr_sizes(edges.rows, edges.cols, edges.offsets.size(), edges.columns.size(),
                            edges.values.size());
  return {{edges.rows, static_cast<Edge>(edges.columns.size()), edges.offsets.data(), edges.columns.data()},
          {},
          edges.values.data()};
}
/// The same for a view of a matrix in the memory of `exec`. Reads the number of entries there, and waits.
template <class Executor, class Weight, class Edge>
graph_view<Weight, int, Edge> graph_view_of(const Executor& exec, const csr_view<Weight, Edge>& edges) {
  detail::require_square(edges.rows, edges.cols);
  Edge count = 0;
  if (edges.rows > 0 && edges.offsets != nullptr)
    exec.copy_to_host(&count, edges.offsets + edges.rows, sizeof(Edge));
  return {{edges.rows, count, edges.offsets, edges.columns}, {}, edges.values};
}

/// Adjacency as views for your own kernels (execution/memory.hpp): simt checks each read.
template <class Executor, class Vertex, class Edge> struct adjacency_spans {
  Vertex vertices = 0;
  Edge edges = 0;
  span_on<Executor, const Edge> offsets;
  span_on<Executor, const Vertex> ends;
};
template <class Executor, class Weight, class Vertex, class Edge> struct graph_spans {
  adjacency_spans<Executor, Vertex, Edge> out, in;
  span_on<Executor, const Weight> weights, in_weights; ///< empty if absent
};

} // namespace evenly::graphs

namespace evenly::detail {

template <class Executor, class T> span_on<Executor, const T> span_of(const T* data, std::int64_t size) {
  return {data, data == nullptr ? 0 : static_cast<std::size_t>(size)};
}
template <class Executor, class Vertex, class Edge>
graphs::adjacency_spans<Executor, Vertex, Edge> spans_of(const graphs::adjacency<Vertex, Edge>& of) {
  return {of.vertices, of.edges, span_of<Executor>(of.offsets, std::int64_t{of.vertices} + 1),
          span_of<Executor>(of.ends, of.edges)};
}

} // namespace evenly::detail

namespace evenly::graphs {

/// A view of the graph for kernels on `exec`, which can read it.
template <class Executor, class Weight, class Vertex, class Edge>
graph_spans<Executor, Weight, Vertex, Edge> view(const Executor&,
                                                 const graph_view<Weight, Vertex, Edge>& graph) {
  return {detail::spans_of<Executor>(graph.out), detail::spans_of<Executor>(graph.in),
          detail::span_of<Executor>(graph.weights, graph.out.edges),
          detail::span_of<Executor>(graph.in_weights, graph.in.edges)};
}

} // namespace evenly::graphs

namespace evenly::detail {

/// Finds edges with an end that is not a vertex.
template <class Vertex, class Edge> struct check_ends {
  struct report {
    std::int64_t at, end;
  };

  graphs::adjacency<Vertex, Edge> edges;

  EVENLY_FN std::int64_t count() const { return edges.edges; }
  EVENLY_FN bool bad(std::int64_t e) const { return edges.ends[e] < 0 || edges.ends[e] >= edges.vertices; }
  EVENLY_FN report report_of(std::int64_t at) const { return {at, at == no_fault ? 0 : edges.ends[at]}; }
};

/// The end of an error message about a number that is not a vertex.
inline std::string is_no_vertex(std::int64_t vertices) {
  return vertices == 0 ? "is not a vertex: the graph has none"
                       : "is not a vertex: vertices are numbered from 0 to " + std::to_string(vertices - 1);
}

} // namespace evenly::detail

namespace evenly::graphs {

/// Throws invalid_argument unless the offsets are valid for the number of edges and each edge ends at a vertex. The
/// message names the first fault. Cost: two passes. Waits for the executor.
template <class Executor, class Vertex, class Edge>
void check_edges(const Executor& exec, const adjacency<Vertex, Edge>& edges) {
  require(edges.vertices >= 0 && edges.edges >= 0, [&] {
    return std::to_string(edges.vertices) + " vertices and " + std::to_string(edges.edges) +
           " edges: sizes must not be negative";
  });
  require(edges.offsets != nullptr && (edges.edges == 0 || edges.ends != nullptr),
          [] { return "the graph needs offsets, and an end for every edge"; });
  if (edges.vertices > 0) {
    const auto all = detail::inspect(exec, edges.tiles());
    require(all.first_atom == 0 && all.atoms == edges.edges, [&] {
      return "offsets go from " + std::to_string(all.first_atom) + " to " +
             std::to_string(all.first_atom + all.atoms) + ": offsets must go from 0 to " +
             std::to_string(edges.edges) + ", the number of edges";
    });
  }
  if (edges.edges == 0) return;
  const auto seen = detail::first_fault(exec, detail::check_ends<Vertex, Edge>{edges}, edges.edges);
  require(seen.at == detail::no_fault, [&] {
    return "edge " + std::to_string(seen.at) + " ends at " + std::to_string(seen.end) + ", which " +
           detail::is_no_vertex(edges.vertices);
  });
}

/// Throws invalid_argument unless `source` is a vertex.
template <class Vertex, class Edge> void require_source(const adjacency<Vertex, Edge>& edges, Vertex source) {
  require(source >= 0 && source < edges.vertices,
          [&] { return "source " + std::to_string(source) + ' ' + detail::is_no_vertex(edges.vertices); });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::adjacency, graphs::graph_view, graphs::graph_view_of, graphs::view;

} // namespace evenly
