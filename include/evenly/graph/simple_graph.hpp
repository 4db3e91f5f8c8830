// SPDX-License-Identifier: Apache-2.0
// simple_graph: the simple undirected graph of any graph. It has each edge in both directions, at most one edge between
// two vertices, and no self-loops. The ends of a vertex's edges are in ascending order.
//
//   const auto simple = evenly::simple_graph(g);                   // g: a graph, a graph_view or a square matrix
//
// Each edge becomes a pair (lower end, higher end). A sort of the pairs brings equal ones together, and one of each run
// is kept: the pairs are then the edges from each vertex to higher ones. A second sort by the higher end gives the
// edges to lower ones, which precede the others in a row.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/graph.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/searches.hpp"
#include "evenly/layouts/detail/for_each_index.hpp"
#include "evenly/primitives/detail/radix_sort.hpp"
#include "evenly/primitives/reduce_by_key.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::detail {

/// Two vertices in one number of 2 * bits bits. `bits` is the width of the number of vertices, so the greatest number
/// is no pair of vertices; it stands for self-loops.
struct vertex_pairs {
  int bits;

  EVENLY_FN std::uint64_t loop() const { return ~std::uint64_t{0} >> (64 - 2 * bits); }
  EVENLY_FN std::uint64_t lower(std::uint64_t pair) const { return pair >> bits; }
  EVENLY_FN std::uint64_t higher(std::uint64_t pair) const { return pair & ((std::uint64_t{1} << bits) - 1); }
  template <class Vertex> EVENLY_FN std::uint64_t operator()(Vertex a, Vertex b) const {
    if (a == b) return loop();
    return static_cast<std::uint64_t>(smaller(a, b)) << bits | static_cast<std::uint64_t>(larger(a, b));
  }
};

template <class Vertex, class Edge> struct pair_of_edge {
  const Vertex* ends;
  vertex_pairs pairs;
  EVENLY_FN std::uint64_t operator()(Vertex source, Edge e) const { return pairs(source, ends[e]); }
};

/// The monoid of edge numbers whose result is the lightest edge, the first of several; the first edge without weights.
template <class Weight, class Edge> struct lightest_edge {
  using value_type = Edge;
  const Weight* weights;

  EVENLY_FN Edge identity() const { return -1; }
  EVENLY_FN Edge operator()(Edge a, Edge b) const {
    if (a < 0) return b;
    if constexpr (std::is_arithmetic_v<Weight>)
      if (weights != nullptr && b >= 0 && weights[b] < weights[a]) return b;
    return a;
  }
};

/// The first pair whose lower end is at least a vertex.
template <class Edge> struct first_to_higher {
  const std::uint64_t* sorted;
  Edge edges;
  vertex_pairs pairs;
  EVENLY_FN Edge operator()(std::int64_t v) const {
    return first_past(Edge{0}, edges,
                      [&](Edge i) { return pairs.lower(sorted[i]) >= static_cast<std::uint64_t>(v); });
  }
};

template <class Vertex> struct higher_end {
  const std::uint64_t* sorted;
  vertex_pairs pairs;
  EVENLY_FN Vertex operator()(std::int64_t i) const { return static_cast<Vertex>(pairs.higher(sorted[i])); }
};

template <class Edge> struct sum_of_firsts {
  const Edge* to_lower;
  const Edge* to_higher;
  EVENLY_FN Edge operator()(std::int64_t v) const { return to_lower[v] + to_higher[v]; }
};

/// Stores both directions of an edge: that from the lower end of pair i, and that from the i-th higher end.
template <class Weight, class Vertex, class Edge> struct place_both_directions {
  const std::uint64_t* sorted; ///< by lower end, then higher end
  const Edge* numbers;         ///< of each pair its edge in the original graph
  const Vertex* higher_ends;   ///< in ascending order
  const Edge* order;           ///< of each higher end its pair
  const Edge* to_lower;        ///< of each vertex the first edge to a lower one
  const Edge* to_higher;
  const Weight* old_weights;
  vertex_pairs pairs;
  Vertex* targets;
  Weight* weights;

  template <class Block> EVENLY_FN void operator()(Block&, std::int64_t i) const {
    const std::uint64_t pair = sorted[i];
    place(i + to_lower[pairs.lower(pair) + 1], pairs.higher(pair), i);
    place(i + to_higher[higher_ends[i]], pairs.lower(sorted[order[i]]), order[i]);
  }
  EVENLY_FN void place(std::int64_t at, std::uint64_t target, std::int64_t pair) const {
    targets[at] = static_cast<Vertex>(target);
    if (weights != nullptr) weights[at] = old_weights[numbers[pair]];
  }
};

/// Makes the simple graph on `exec`, and waits.
template <class Executor, class Weight, class Vertex, class Edge>
graphs::graph<Weight, Vertex, Edge, Executor>
make_simple_graph(const Executor& exec, const graphs::graph_view<Weight, Vertex, Edge>& from) {
  const auto& out = from.out;
  const vertex_pairs pairs{static_cast<int>(std::bit_width(static_cast<std::uint64_t>(out.vertices)))};
  require(pairs.bits <= 32,
          [&] { return concat(out.vertices, " vertices: a simple graph has fewer than 2^32"); });
  const auto room = static_cast<std::size_t>(out.edges), rows = static_cast<std::size_t>(out.vertices) + 1;
  workspace memory;

  auto sorted = make_buffer<std::uint64_t>(exec, room);
  auto numbers = make_buffer<Edge>(exec, room);
  std::int64_t edges = 0;
  {
    const auto keys = make_buffer<std::uint64_t>(exec, room),
               sorted_keys = make_buffer<std::uint64_t>(exec, room);
    const auto order = make_buffer<Edge>(exec, room);
    tabulate_edges(exec, out, pair_of_edge<Vertex, Edge>{out.ends, pairs}, keys.data());
    tabulate(exec, out.edges, edge_number<Edge>{}, numbers.data());
    sort_numbers(exec, keys.data(), numbers.data(), out.edges, sorted_keys.data(), order.data(), memory,
                 2 * pairs.bits);
    edges = reduce_by_key(exec, sorted_keys.data(), order.data(), out.edges,
                          lightest_edge<Weight, Edge>{from.weights}, sorted.data(), numbers.data());
    if (edges > 0) { // self-loops are the last run
      std::uint64_t last = 0;
      exec.copy_to_host(&last, sorted.data() + edges - 1, sizeof(last));
      edges -= last == pairs.loop() ? 1 : 0;
    }
  }
  require(edges <= std::numeric_limits<Edge>::max() / 2, [&] {
    return concat(edges, " edges in both directions exceed the range of edge numbers of ", 8 * sizeof(Edge),
                  " bits");
  });

  const auto count = static_cast<std::size_t>(edges);
  const auto order = make_buffer<Edge>(exec, count);
  const auto higher_ends = make_buffer<Vertex>(exec, count);
  {
    const auto ends = make_buffer<Vertex>(exec, count);
    const auto in_order = make_buffer<Edge>(exec, count);
    tabulate(exec, edges, higher_end<Vertex>{sorted.data(), pairs}, ends.data());
    tabulate(exec, edges, edge_number<Edge>{}, in_order.data());
    sort_numbers(exec, ends.data(), in_order.data(), edges, higher_ends.data(), order.data(), memory,
                 pairs.bits);
    exec.synchronize();
  }
  const auto to_lower = make_buffer<Edge>(exec, rows), to_higher = make_buffer<Edge>(exec, rows);
  const auto many = static_cast<Edge>(edges);
  tabulate(exec, out.vertices + std::int64_t{1}, first_arriving<Vertex, Edge>{higher_ends.data(), many},
           to_lower.data());
  tabulate(exec, out.vertices + std::int64_t{1}, first_to_higher<Edge>{sorted.data(), many, pairs},
           to_higher.data());

  auto offsets = make_buffer<Edge>(exec, rows);
  auto targets = make_buffer<Vertex>(exec, 2 * count);
  auto weights = make_buffer<Weight>(exec, from.weights == nullptr ? 0 : 2 * count);
  tabulate(exec, out.vertices + std::int64_t{1}, sum_of_firsts<Edge>{to_lower.data(), to_higher.data()},
           offsets.data());
  for_each_index(exec, edges, 8,
                 place_both_directions<Weight, Vertex, Edge>{
                     sorted.data(), numbers.data(), higher_ends.data(), order.data(), to_lower.data(),
                     to_higher.data(), from.weights, pairs, targets.data(), weights.data()});
  exec.synchronize();
  graphs::graph<Weight, Vertex, Edge, Executor> made(exec, std::move(offsets), std::move(targets),
                                                     std::move(weights));
  made.set_undirected();
  return made;
}

} // namespace evenly::detail

namespace evenly::graphs {

/// Makes the simple undirected graph: an evenly::graph in the memory of the executor, set undirected.
///
/// - g: an evenly::graph, a graph_view, or a square csr_matrix or csr_view (searches.hpp). Fewer than 2^32 vertices.
/// - Weights: of several edges between two vertices, in either direction, the lightest. They must not be NaN.
/// - Complexity: sorts of one 64-bit pair per edge and of one vertex per remaining edge.
/// - Memory: with 32-bit numbers 48 bytes per edge at most, in addition to both graphs.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument if the edges in both directions exceed the range of edge numbers.
template <graph_like G, environment_argument Env = environment<>>
auto simple_graph(const G& g, Env&& env = {}) {
  const auto where = detail::environment_without_schedule(env);
  return detail::with_graph(
      g, where, [](const auto& exec, const auto& view) { return detail::make_simple_graph(exec, view); });
}

} // namespace evenly::graphs

namespace evenly {

using graphs::simple_graph;

} // namespace evenly
