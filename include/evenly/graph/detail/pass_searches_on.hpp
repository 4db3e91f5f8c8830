// SPDX-License-Identifier: Apache-2.0
// What edges and vertices do in searches that go together (graph/resident_together.hpp).
#pragma once

#include <cstdint>

#include "evenly/block/detail/read_four.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/arrive_by_edge.hpp"
#include "evenly/graph/detail/level_planes.hpp"
#include "evenly/graph/graph_view.hpp"

namespace evenly {

namespace detail {

/// What an edge of the frontier does (schedules/resident_frontier.hpp).
template <class Vertex, class Edge> struct pass_searches_on {
  static constexpr bool lists_empty = true; ///< as these take what they are given too
  using staged = Vertex;                    ///< the edge's end

  adjacency<Vertex, Edge> out;
  const std::uint64_t* reached;
  const std::uint64_t* now; ///< of vertices in the frontier: who reached them on this level
  std::uint64_t active;     ///< searches that do not wait
  std::uint64_t* found;

  /// Nobody has more: levels that keep what they find, and do not look, are not for this.
  EVENLY_FN static std::uint64_t unseen() { return ~std::uint64_t{0}; }
  EVENLY_FN Vertex load(Edge edge) const { return read_only(out.ends + edge); }
  EVENLY_FN void foresee(Vertex at) const { prefetch(reached + at); }
  EVENLY_FN void foresee_taking(Vertex at, std::uint64_t) const { prefetch(found + at); }
  EVENLY_FN std::uint64_t look(Vertex at) const { return reached[at]; }
  template <class Found>
  EVENLY_FN void take(Vertex from, Vertex at, std::uint64_t seen, const Found& listed) const {
    const std::uint64_t give = now[from] & active & ~seen;
    if (give == 0 || (give & ~atomic_ref(found[at]).load(order::relaxed{})) == 0) return;
    if (atomic_ref(found[at]).fetch_or(give, order::relaxed{}) == 0)
      listed(at, read_only(out.offsets + at), read_only(out.offsets + at + 1));
  }
};

/// What a vertex does bottom-up (schedules/resident_sweep.hpp).
template <class Vertex, class Edge> struct gather_searches {
  adjacency<Vertex, Edge> out, in;
  const std::uint64_t* reached;
  std::uint64_t* other; ///< what is reached after this level
  level_planes<Vertex> planes;
  std::uint64_t all; ///< searches
  std::int64_t level;
  /// Of the thread: vertices that were found, edges that leave these, and edges that arrive at vertices that still lack
  /// searches.
  std::int64_t *vertices, *edges, *left;

  EVENLY_FN std::uint64_t wanted(Vertex v) const { return all & ~reached[v]; }
  EVENLY_FN std::uint64_t gather(Edge first, Edge begin, Edge end) const {
    Vertex from[4];
    read_four(in.ends, first, begin, end, in.edges, from);
    std::uint64_t bits[4];
    EVENLY_UNROLL
    for (int j = 0; j < 4; ++j) bits[j] = first + j >= begin && first + j < end ? reached[from[j]] : 0;
    return bits[0] | bits[1] | (bits[2] | bits[3]);
  }
  EVENLY_FN void finish(Vertex v, std::uint64_t found) const {
    const std::uint64_t has = reached[v];
    other[v] = has | found;
    if (has == all) return;
    if ((has | found) != all) *left += read_only(in.offsets + v + 1) - read_only(in.offsets + v);
    if (found == 0) return;
    planes.set(v, found, level);
    *vertices += 1;
    *edges += read_only(out.offsets + v + 1) - read_only(out.offsets + v);
  }
};

} // namespace detail

} // namespace evenly
