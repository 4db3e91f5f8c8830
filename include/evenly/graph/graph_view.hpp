// SPDX-License-Identifier: Apache-2.0
// What algorithms see of a graph: its edges in compressed rows, those that leave each vertex and, where somebody made
// them (graph.hpp), those that arrive there; and their weights.
//
// A vertex is a tile, an edge an atom. Vertices are numbered from 0; an edge's number is its place among those that
// leave. Loops, and several edges from one vertex to another, are edges like others.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/schedules/detail/inspect_tiles.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly {

/// The edges of each vertex v are [offsets[v], offsets[v + 1]); offsets[0] is 0. Pointers to where the executor reads,
/// nothing owned.
template <signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int> struct adjacency {
  using vertex_type = Vertex;
  using edge_type = Edge;

  Vertex vertices = 0;
  Edge edges = 0;
  const Edge* offsets = nullptr; ///< vertices + 1 values
  const Vertex* ends = nullptr;  ///< of each edge the vertex at its other end

  csr_tile_set<Edge, Vertex> tiles() const { return {offsets, vertices}; }
};

/// Weight: int, std::int64_t, float or double.
template <class Weight = int, signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int>
struct graph_view {
  using weight_type = Weight;

  adjacency<Vertex, Edge> out;        ///< ends are targets
  adjacency<Vertex, Edge> in = {};    ///< ends are sources; no offsets where nobody made it
  const Weight* weights = nullptr;    ///< of the edges in `out`; null where there are none
  const Weight* in_weights = nullptr; ///< of those in `in`

  bool has_in_edges() const { return in.offsets != nullptr; }
  /// Whether the edges that arrive are those that leave.
  bool is_undirected() const { return has_in_edges() && in.offsets == out.offsets; }
};

static_assert(std::is_trivially_copyable_v<graph_view<>>);

/// A square matrix as a graph, without a copy: an edge from row to column for each entry, its value the weight. The
/// matrix outlives it. Throws invalid_argument if it is not square.
template <class Weight, class Edge, class Executor>
graph_view<Weight, int, Edge> graph_view_of(const csr_matrix<Weight, Edge, Executor>& edges) {
  require(edges.rows == edges.cols, [&] {
    return detail::concat("a matrix of ", edges.rows, " rows and ", edges.cols,
                          " columns is not a graph: it must be square");
  });
  detail::require_csr_sizes(edges.rows, edges.cols, edges.offsets.size(), edges.columns.size(),
                            edges.values.size());
  return {{edges.rows, static_cast<Edge>(edges.columns.size()), edges.offsets.data(), edges.columns.data()},
          {},
          edges.values.data()};
}

/// The same as views for kernels of one's own (execution/view.hpp): a graph whose reads simt checks.
template <class Executor, class Vertex, class Edge> struct adjacency_spans {
  Vertex vertices = 0;
  Edge edges = 0;
  span_on<Executor, const Edge> offsets;
  span_on<Executor, const Vertex> ends;
};
template <class Executor, class Weight, class Vertex, class Edge> struct graph_spans {
  adjacency_spans<Executor, Vertex, Edge> out, in;
  span_on<Executor, const Weight> weights, in_weights; ///< empty where there are none
};

namespace detail {

template <class Executor, class T> span_on<Executor, const T> span_of(const T* data, std::int64_t size) {
  return {data, data == nullptr ? 0 : static_cast<std::size_t>(size)};
}
template <class Executor, class Vertex, class Edge>
adjacency_spans<Executor, Vertex, Edge> spans_of(const adjacency<Vertex, Edge>& of) {
  return {of.vertices, of.edges, span_of<Executor>(of.offsets, std::int64_t{of.vertices} + 1),
          span_of<Executor>(of.ends, of.edges)};
}

} // namespace detail

/// A graph for what runs on `exec`, which can read it.
template <class Executor, class Weight, class Vertex, class Edge>
graph_spans<Executor, Weight, Vertex, Edge> view(const Executor&,
                                                 const graph_view<Weight, Vertex, Edge>& graph) {
  return {detail::spans_of<Executor>(graph.out), detail::spans_of<Executor>(graph.in),
          detail::span_of<Executor>(graph.weights, graph.out.edges),
          detail::span_of<Executor>(graph.in_weights, graph.in.edges)};
}

namespace detail {

/// Finds edges whose other end is no vertex.
template <class Vertex, class Edge> struct check_ends {
  struct report {
    std::int64_t at, end;
  };

  adjacency<Vertex, Edge> edges;

  EVENLY_FN std::int64_t count() const { return edges.edges; }
  EVENLY_FN bool bad(std::int64_t e) const { return edges.ends[e] < 0 || edges.ends[e] >= edges.vertices; }
  EVENLY_FN report tell(std::int64_t at) const { return {at, at == no_fault ? 0 : edges.ends[at]}; }
};

/// Why what stands before it is wrong.
inline std::string is_no_vertex(std::int64_t vertices) {
  return vertices == 0 ? "is not a vertex: the graph has none"
                       : "is not a vertex: vertices are numbered from 0 to " + std::to_string(vertices - 1);
}

} // namespace detail

/// Throws invalid_argument unless the offsets are those of so many edges, and each edge ends at a vertex; names the
/// first fault. Two passes; waits for the executor.
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

} // namespace evenly
