// SPDX-License-Identifier: Apache-2.0
// A graph where an executor can use it: the owner of what a graph_view points to.
//
// Edges that arrive are made of those that leave by sorting: edge numbers, with their targets as keys, in an order that
// keeps equal keys as they were. So the edges that arrive at a vertex are in the order of their sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly {

namespace detail {

template <class T> struct edge_number {
  EVENLY_FN T operator()(std::int64_t i) const { return static_cast<T>(i); }
};

/// Where the edges that arrive at a vertex begin: before the first target that is not less.
template <class Vertex, class Edge> struct first_arriving {
  const Vertex* targets; ///< in order
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

template <class Vertex, class Edge> struct source_of_numbered {
  adjacency<Vertex, Edge> out;
  const Edge* edges;
  EVENLY_FN Vertex operator()(std::int64_t i) const { return source_of(out, edges[i]); }
};

template <class Weight, class Edge> struct weight_of_numbered {
  const Weight* weights;
  const Edge* edges;
  EVENLY_FN Weight operator()(std::int64_t i) const { return weights[edges[i]]; }
};

} // namespace detail

/// Move-only.
template <class Weight = int, signed_of_32_or_64_bits Vertex = int, signed_of_32_or_64_bits Edge = int>
class graph {
 public:
  using view_type = graph_view<Weight, Vertex, Edge>;

  /// A copy, on the executor, of the edges that leave and their weights, which are on the host. Checks them
  /// (check_edges). Allocates and waits.
  template <class Executor>
  graph(const Executor& exec, const view_type& on_host)
      : offsets_(to_executor(exec, span_of(on_host.out.offsets, std::int64_t{on_host.out.vertices} + 1))),
        targets_(to_executor(exec, span_of(on_host.out.ends, on_host.out.edges))),
        weights_(to_executor(exec, span_of(on_host.weights, on_host.out.edges))) {
    view_.out = {on_host.out.vertices, on_host.out.edges, offsets_.data(), targets_.data()};
    view_.weights = on_host.weights ? weights_.data() : nullptr;
    check_edges(exec, view_.out);
  }

  const view_type& view() const { return view_; }

  /// Says that for each edge there is one the other way, of the same weight: those that arrive are those that leave.
  void set_undirected() {
    view_.in = view_.out;
    view_.in_weights = view_.weights;
  }

  /// Makes the edges that arrive. Allocates; keeps a vertex for each edge, an offset for each vertex, and a weight
  /// for each edge if there are weights. Cost: a sort of as many keys as edges, and searches.
  template <class Executor> void make_in_edges(const Executor& exec) {
    const auto& out = view_.out;
    const auto edges = static_cast<std::size_t>(out.edges);
    const auto numbers = make_buffer<Edge>(exec, edges), order = make_buffer<Edge>(exec, edges);
    const auto targets = make_buffer<Vertex>(exec, edges);
    tabulate(exec, out.edges, detail::edge_number<Edge>{}, numbers.data());
    workspace memory;
    detail::sort_numbers(exec, targets_.data(), numbers.data(), out.edges, targets.data(), order.data(),
                         memory);
    in_offsets_ = make_buffer<Edge>(exec, static_cast<std::size_t>(out.vertices) + 1);
    sources_ = make_buffer<Vertex>(exec, edges);
    tabulate(exec, std::int64_t{out.vertices} + 1,
             detail::first_arriving<Vertex, Edge>{targets.data(), out.edges}, in_offsets_.data());
    tabulate(exec, out.edges, detail::source_of_numbered<Vertex, Edge>{out, order.data()}, sources_.data());
    view_.in = {out.vertices, out.edges, in_offsets_.data(), sources_.data()};
    view_.in_weights = nullptr;
    if (view_.weights == nullptr) return;
    in_weights_ = make_buffer<Weight>(exec, edges);
    tabulate(exec, out.edges, detail::weight_of_numbered<Weight, Edge>{view_.weights, order.data()},
             in_weights_.data());
    view_.in_weights = in_weights_.data();
  }

 private:
  template <class T> static std::span<const T> span_of(const T* data, std::int64_t count) {
    return {data, data == nullptr ? 0 : static_cast<std::size_t>(count)};
  }

  buffer<Edge> offsets_, in_offsets_;
  buffer<Vertex> targets_, sources_;
  buffer<Weight> weights_, in_weights_;
  view_type view_;
};

/// The same for what runs on `exec`.
template <class Executor, class Weight, class Vertex, class Edge>
auto view(const Executor& exec, const graph<Weight, Vertex, Edge>& of) {
  return view(exec, of.view());
}

} // namespace evenly
