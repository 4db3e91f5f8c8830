// SPDX-License-Identifier: Apache-2.0
// A graph that owns its arrays in the memory of an executor.
//
// The incoming edges are made by a stable sort of the edges by target. So the incoming edges of a vertex are in the
// order of their sources.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly::detail {

template <class T> struct edge_number {
  EVENLY_FN T operator()(std::int64_t i) const { return static_cast<T>(i); }
};

/// The first incoming edge of a vertex: the first position whose target is not less.
template <class Vertex, class Edge> struct first_arriving {
  const Vertex* targets; ///< sorted
  Edge edges;
  EVENLY_FN Edge operator()(std::int64_t v) const {
    return first_past(Edge{0}, edges, [&](Edge e) { return targets[e] >= v; });
  }
};

/// The vertex that an edge leaves. log2(vertices) loads.
template <class Vertex, class Edge>
EVENLY_FN Vertex source_of(const adjacency<Vertex, Edge>& out, std::int64_t edge) {
  return first_past(Vertex{0}, out.vertices, [&](Vertex v) { return out.offsets[v + 1] > edge; });
}

template <class Vertex, class Edge, class F> struct at_source_and_edge {
  adjacency<Vertex, Edge> out;
  F f;
  EVENLY_FN auto operator()(std::int64_t edge) const {
    return f(source_of(out, edge), static_cast<Edge>(edge));
  }
};
template <class Vertex, class Edge, class F, class T> struct write_edges_of {
  adjacency<Vertex, Edge> out;
  F f;
  T* to;
  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t v) const {
    for (Edge e = out.offsets[v]; e < out.offsets[v + 1]; ++e) to[e] = f(static_cast<Vertex>(v), e);
  }
};
/// to[e] = f(source of e, e) for every edge. On cpu a pass over the vertices, otherwise a search per edge. Asynchronous
/// on cuda.
template <class Executor, class Vertex, class Edge, class F, class T>
void tabulate_edges(const Executor& exec, const adjacency<Vertex, Edge>& out, const F& f, T* to) {
  if constexpr (Executor::serial_blocks)
    for_each_index(exec, out.vertices, 8, write_edges_of<Vertex, Edge, F, T>{out, f, to});
  else
    tabulate(exec, out.edges, at_source_and_edge<Vertex, Edge, F>{out, f}, to);
}
struct the_source {
  template <class Vertex, class Edge> EVENLY_FN Vertex operator()(Vertex v, Edge) const { return v; }
};

template <class T, class Edge> struct value_of_numbered {
  const T* values;
  const Edge* edges;
  EVENLY_FN T operator()(std::int64_t i) const { return values[edges[i]]; }
};

/// The incoming edges of each vertex, as arrays.
template <class Weight, class Vertex, class Edge> struct in_edges {
  buffer<Edge> offsets;
  buffer<Vertex> sources;
  buffer<Weight> weights; ///< empty if the graph has none

  adjacency<Vertex, Edge> view() const {
    return {static_cast<Vertex>(offsets.size() - 1), static_cast<Edge>(sources.size()), offsets.data(),
            sources.data()};
  }
};

/// Makes the incoming edges, those of each vertex in the order of their sources. Cost: a sort of one key per edge.
template <class Executor, class Weight, class Vertex, class Edge>
in_edges<Weight, Vertex, Edge> make_in_edges(const Executor& exec,
                                             const graph_view<Weight, Vertex, Edge>& graph) {
  const auto& out = graph.out;
  const auto edges = static_cast<std::size_t>(out.edges);
  const int bits = std::bit_width(static_cast<std::uint64_t>(out.vertices));
  const auto targets = make_buffer<Vertex>(exec, edges), sources = make_buffer<Vertex>(exec, edges);
  tabulate_edges(exec, out, the_source{}, sources.data());
  workspace memory;
  in_edges<Weight, Vertex, Edge> in{make_buffer<Edge>(exec, static_cast<std::size_t>(out.vertices) + 1),
                                    make_buffer<Vertex>(exec, edges),
                                    make_buffer<Weight>(exec, graph.weights == nullptr ? 0 : edges)};
  if (graph.weights == nullptr) {
    sort_numbers(exec, out.ends, sources.data(), out.edges, targets.data(), in.sources.data(), memory, bits);
  } else {
    const auto numbers = make_buffer<Edge>(exec, edges), order = make_buffer<Edge>(exec, edges);
    tabulate(exec, out.edges, edge_number<Edge>{}, numbers.data());
    sort_numbers(exec, out.ends, numbers.data(), out.edges, targets.data(), order.data(), memory, bits);
    tabulate(exec, out.edges, value_of_numbered<Vertex, Edge>{sources.data(), order.data()},
             in.sources.data());
    tabulate(exec, out.edges, value_of_numbered<Weight, Edge>{graph.weights, order.data()},
             in.weights.data());
  }
  tabulate(exec, std::int64_t{out.vertices} + 1, first_arriving<Vertex, Edge>{targets.data(), out.edges},
           in.offsets.data());
  exec.synchronize(); // the memory resource may not wait before it frees
  return in;
}

} // namespace evenly::detail

namespace evenly::graphs {

/// Owns a graph in the memory of an executor. Searches of the graph run on that executor by default. Move-only.
///
///   evenly::graph g(a);                                     // of a square csr_matrix: row = source, column = target
///   auto g = evenly::graph_from_edges(5, sources, targets, weights);
///   auto on_device = g.to(evenly::cuda());
///
/// Weight: int, std::int64_t, float or double.
template <class Weight = int, signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int,
          class Executor = cpu>
class graph {
 public:
  using view_type = graph_view<Weight, Vertex, Edge>;
  using executor_type = Executor;

  /// Copies the outgoing edges and weights of a host graph to the executor, and checks the edges. Allocates and
  /// synchronises. O(vertices + edges). Throws invalid_argument as check_edges does.
  graph(const Executor& exec, const view_type& on_host)
      : exec_(exec),
        offsets_(to_executor(exec, span_of(on_host.out.offsets, std::int64_t{on_host.out.vertices} + 1))),
        targets_(to_executor(exec, span_of(on_host.out.ends, on_host.out.edges))),
        weights_(to_executor(exec, span_of(on_host.weights, on_host.out.edges))) {
    view_.out = {on_host.out.vertices, on_host.out.edges, offsets_.data(), targets_.data()};
    view_.weights = on_host.weights ? weights_.data() : nullptr;
    check_edges(exec, view_.out);
  }
  /// Copies a square host matrix to the executor: each entry is an edge from its row to its column, with its value as
  /// weight. Otherwise as above. Throws invalid_argument also if the matrix is not square.
  explicit graph(const csr_matrix<Weight, Edge>& edges, const Executor& exec = Executor())
      : graph(exec, graph_view_of(edges)) {}

  /// Takes arrays in the memory of the executor, without a copy. The edges are valid (check_edges), which is not
  /// checked. weights: empty for none.
  graph(const Executor& exec, buffer<Edge> offsets, buffer<Vertex> targets, buffer<Weight> weights = {})
      : exec_(exec), offsets_(std::move(offsets)), targets_(std::move(targets)),
        weights_(std::move(weights)) {
    view_.out = {static_cast<Vertex>(offsets_.size() - 1), static_cast<Edge>(targets_.size()),
                 offsets_.data(), targets_.data()};
    view_.weights = weights_.data();
  }

  const Executor& executor() const { return exec_; }
  Vertex vertices() const { return view_.out.vertices; }
  Edge edges() const { return view_.out.edges; }

  /// A copy in the memory of `to`, without incoming edges unless the graph is undirected. The copy passes
  /// through the host. Synchronises.
  template <class To> graph<Weight, Vertex, Edge, To> to(const To& to) const {
    const std::vector<Edge> offsets = to_host(exec_, offsets_);
    const std::vector<Vertex> targets = to_host(exec_, targets_);
    const std::vector<Weight> weights = to_host(exec_, weights_);
    graph<Weight, Vertex, Edge, To> copy(
        to, {{view_.out.vertices, view_.out.edges, offsets.data(), targets.data()},
             {},
             view_.weights == nullptr ? nullptr : weights.data()});
    if (view_.is_undirected()) copy.set_undirected();
    return copy;
  }

  const view_type& view() const { return view_; }

  /// Declares the graph undirected: each edge has a reverse edge of the same weight, which is not checked. The outgoing
  /// edges then serve as incoming edges.
  void set_undirected() {
    view_.in = view_.out;
    view_.in_weights = view_.weights;
  }

  /// Makes the incoming edges. Allocates and keeps one vertex per edge, one offset per vertex, and one weight per
  /// edge if there are weights. Cost: a sort of one key per edge, and searches.
  void make_in_edges() { make_in_edges(exec_); }
  void make_in_edges(const Executor& exec) {
    in_ = detail::make_in_edges(exec, view_);
    view_.in = in_.view();
    view_.in_weights = in_.weights.data();
  }

 private:
  template <class T> static std::span<const T> span_of(const T* data, std::int64_t count) {
    return {data, data == nullptr ? 0 : static_cast<std::size_t>(count)};
  }

  Executor exec_;
  buffer<Edge> offsets_;
  buffer<Vertex> targets_;
  buffer<Weight> weights_;
  detail::in_edges<Weight, Vertex, Edge> in_;
  view_type view_;
};

template <class Weight, class Edge> graph(const csr_matrix<Weight, Edge>&) -> graph<Weight, int, Edge, cpu>;
template <class Weight, class Edge, class Executor>
graph(const csr_matrix<Weight, Edge>&, const Executor&) -> graph<Weight, int, Edge, Executor>;
template <class Executor, class Weight, class Vertex, class Edge>
graph(const Executor&, const graph_view<Weight, Vertex, Edge>&) -> graph<Weight, Vertex, Edge, Executor>;

/// Makes a host graph from edges (sources[e], targets[e]) in any order. The edges of a vertex keep their order.
///
/// - weights: a range of int, std::int64_t, float or double.
/// - Complexity: O(vertices + edges).
/// - Throws invalid_argument if the ranges differ in size, for a vertex outside [0, vertices), and for more than 2^31 -
///   1 edges.
template <detail::contiguous_values Weights>
auto graph_from_edges(int vertices, std::span<const int> sources, std::span<const int> targets,
                      const Weights& edge_weights) {
  using weight = detail::value_of<Weights>;
  const std::span<const weight> weights(std::data(edge_weights), std::size(edge_weights));
  require(vertices >= 0, [&] { return detail::concat("vertices = ", vertices, ": must not be negative"); });
  require(targets.size() == sources.size() && weights.size() == sources.size(), [&] {
    return detail::concat(sources.size(), " sources, ", targets.size(), " targets and ", weights.size(),
                          " weights: every edge needs one of each");
  });
  require(sources.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
          [&] { return detail::concat(sources.size(), " edges exceed the range of int"); });
  csr_matrix<weight> rows{vertices, vertices, std::vector<int>(static_cast<std::size_t>(vertices) + 1),
                          std::vector<int>(targets.size()), std::vector<weight>(targets.size())};
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (std::size_t e = 0; e < sources.size(); ++e) {
    require(sources[e] >= 0 && sources[e] < vertices, [&] {
      return detail::concat("edge ", e, " begins at ", sources[e], ", which ",
                            detail::is_no_vertex(vertices));
    });
    ++rows.offsets[at(sources[e]) + 1];
  }
  for (int v = 0; v < vertices; ++v) rows.offsets[at(v) + 1] += rows.offsets[at(v)];
  std::vector<int> next(rows.offsets.begin(), rows.offsets.end() - 1);
  for (std::size_t e = 0; e < sources.size(); ++e) {
    const std::size_t place = at(next[at(sources[e])]++);
    rows.columns[place] = targets[e];
    rows.values[place] = weights[e];
  }
  return graph<weight>(rows);
}
/// The same with weights of 1.
inline graph<int> graph_from_edges(int vertices, std::span<const int> sources, std::span<const int> targets) {
  return graph_from_edges(vertices, sources, targets, std::vector<int>(sources.size(), 1));
}

/// A view of the graph for kernels on `exec`.
template <class Executor, class Weight, class Vertex, class Edge>
auto view(const Executor& exec, const graph<Weight, Vertex, Edge, Executor>& of) {
  return view(exec, of.view());
}

} // namespace evenly::graphs

namespace evenly {

using graphs::graph, graphs::graph_from_edges, graphs::view;

} // namespace evenly
