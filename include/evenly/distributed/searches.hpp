// SPDX-License-Identifier: Apache-2.0
// Shortest paths and connected components of a graph on ranks, by rounds over all edges.
//
//   auto G = world.distribute(incoming);                 // row v has the edges u -> v, column u; values are weights
//   auto lengths = evenly::distributed::sssp(G, source);
//
// In a round each vertex takes the minimum over its incoming edges, until no vertex changes (Bellman 1958, Ford 1956).
// Tiles that ranks share are combined as in a product, so a vertex with most edges of the graph is no bottleneck. The
// cost is that of one product per round: these are methods for graphs of small diameter. On a road network a search on
// one device (evenly::sssp) is faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/bfs.hpp"
#include "evenly/distributed/communicator.hpp"
#include "evenly/distributed/matrix.hpp"
#include "evenly/distributed/reduce_tiles.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"

namespace evenly::distributed {

// --- details ---------------------------------------------------------------------------------------------------------
// Rounds: next[v] = min(now[v], values of the incoming edges).

namespace detail {

/// The value that an edge offers to its end: that of its start plus the edge's length.
template <class T, class Value, class Executor> struct offered_by_edge {
  pointer_on<Executor, const int> columns;
  pointer_on<Executor, const Value> weights;
  gathered_elements<T, Executor> at_start;
  T unit; ///< the length of edges without weights
  bool is_weighted;

  EVENLY_FN T operator()(std::int64_t k) const {
    const T start = at_start[columns[k]];
    if (start == minimum<T>{}.identity()) return start; // not reached; integers would overflow
    return start + (is_weighted ? static_cast<T>(static_cast<Value>(weights[k])) : unit);
  }
};
template <class T, class Executor> struct stores_lesser {
  pointer_on<Executor, const T> now;
  pointer_on<Executor, T> next;
  EVENLY_FN void operator()(int v, const T& offered) const {
    const T mine = now[v];
    next[v] = offered < mine ? offered : mine;
  }
};
template <class T> struct has_changed {
  const T* before;
  const T* now;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return before[i] != now[i]; }
};

/// Rounds until no value changes. `values`: those of the rank's own vertices. Returns the number of rounds.
template <class T, class Value, class Offset, executor Executor>
std::int64_t relax(communicator& here, const Executor& exec, matrix<Value, Offset, Executor>& graph,
                   std::span<T> values, T unit, bool is_weighted, std::int64_t max_rounds) {
  auto& part = graph.part(here);
  auto exchange = graph.template exchange_of<T>(here);
  const auto next = make_buffer<T>(exec, values.size());
  for (std::int64_t round = 1;; ++round) {
    const auto gathered = exchange.gather(here, exec, values.data());
    reduce_tiles(here, exec, part.rows,
                 offered_by_edge<T, Value, Executor>{part.columns.data(), part.values.data(), gathered, unit,
                                                     is_weighted},
                 minimum<T>{}, stores_lesser<T, Executor>{values.data(), next.data()});
    const std::int64_t changed =
        reduce(here, exec, graph.rows(), plus<std::int64_t>{}, has_changed<T>{values.data(), next.data()});
    tabulate(exec, static_cast<std::int64_t>(values.size()), element_of<T>{next.data()}, values.data());
    if (changed == 0) return round;
    require(round <= max_rounds, [&] {
      return evenly::detail::concat("after ", round,
                                    " rounds paths still get shorter: a cycle has a negative length");
    });
  }
}

/// Sets one of the elements, if it is the rank's own.
template <class T> struct all_but_one {
  std::int64_t one;
  T value;
  T others;
  EVENLY_FN T operator()(std::int64_t i) const { return i == one ? value : others; }
};
struct own_number {
  std::int64_t first;
  EVENLY_FN int operator()(std::int64_t i) const { return static_cast<int>(first + i); }
};

} // namespace detail

// ---------------------------------------------------------------------------------------------------------------------
// The searches. Each is collective, and its result has the same bits for every number of ranks.

/// The lengths of the shortest paths from `source`; infinity, or the greatest integer: not reached. Row v of `graph`
/// has the edges that lead to v, values are lengths.
///
/// - Cost: at most vertices rounds of O(vertices + edges); as many as the shortest paths have edges.
/// - Errors: as for bfs; invalid_argument if a cycle has a negative length.
template <class Value, class Offset, executor Executor>
array<Value, Executor> sssp(matrix<Value, Offset, Executor>& graph, std::int64_t source) {
  detail::check_graph(graph, source);
  const auto& ranks = graph.ranks();
  array<Value, Executor> lengths(ranks, graph.rows());
  ranks.run([&](communicator& here) {
    const Executor& exec = ranks.executor(here);
    const std::int64_t first = graph.rows().begin(here.rank());
    tabulate(exec, graph.rows().size(here.rank()),
             detail::all_but_one<Value>{source - first, Value{0}, minimum<Value>{}.identity()},
             lengths.part(here).data());
    detail::relax<Value>(here, exec, graph, lengths.part(here), Value{0}, true, graph.rows().total());
  });
  return lengths;
}

/// The least vertex of each vertex's connected component. `graph` has each edge in both directions.
///
/// - Cost: as many rounds of O(vertices + edges) as a component's least vertex is edges away from its others.
/// - Errors: invalid_argument if the matrix is not square.
template <class Value, class Offset, executor Executor>
array<int, Executor> connected_components(matrix<Value, Offset, Executor>& graph) {
  if (graph.rows().total() > 0) detail::check_graph(graph, 0);
  const auto& ranks = graph.ranks();
  array<int, Executor> least(ranks, graph.rows());
  ranks.run([&](communicator& here) {
    const Executor& exec = ranks.executor(here);
    tabulate(exec, graph.rows().size(here.rank()), detail::own_number{graph.rows().begin(here.rank())},
             least.part(here).data());
    detail::relax<int>(here, exec, graph, least.part(here), 0, false,
                       std::numeric_limits<std::int64_t>::max());
  });
  return least;
}

} // namespace evenly::distributed
