// SPDX-License-Identifier: Apache-2.0
// The first neighbour of a vertex that is in a bitmap, for bottom-up levels (graph/persistent_bfs.hpp).
//
// A lane looks at the first neighbours of its vertex alone. Longer rows are processed by eight lanes together, one
// vertex after the other, while other groups of the warp process other vertices. So a vertex with many edges and no
// match delays only a quarter of the vertices of the warp. The caller may defer still longer rows until all warps of
// the block can share them, since such vertices often have consecutive numbers.
//
// The cost of a level is the number of separate requests to the first-level cache, and their latency. So a lane loads
// four neighbours at once and then tests one bit after the other, since most vertices need only one or two. It does so
// for several vertices at the same time.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/read_four.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

template <class Vertex, class Edge> struct neighbour_in_bits {
  static constexpr int alone = 20;     ///< neighbours that a lane looks at before other lanes help
  static constexpr int many = 64;      ///< rows with more left may be deferred
  static constexpr int together = 512; ///< the whole warp looks at rows with more left

  static constexpr Vertex is_deferred = -2;

  const Vertex* ends;
  Edge edges; ///< of the graph
  const std::uint64_t* bits;

  EVENLY_FN bool has(Vertex v) const { return (bits[v / 64] >> (v % 64) & 1) != 0; }

  /// found[k]: the end of the first of the edges [begin[k], end[k]) that is in the bitmap, -1 if there is none. Called
  /// by all lanes of a warp, each with N vertices, for which it has loads in flight at the same time.
  ///
  /// defer(k, at): called by a lane that has many edges left and no match before `at`, a multiple of 4. Returns whether
  /// another caller will process the rest by first_of_many. found[k] is then is_deferred.
  template <int N, class Block, class PutOff>
  EVENLY_FN void first_of(const lanes<Block>& warp, const Edge (&begin)[N], const Edge (&end)[N],
                          Vertex (&found)[N], [[maybe_unused]] const PutOff& defer) const {
    EVENLY_UNROLL
    for (int k = 0; k < N; ++k) found[k] = -1;
    if constexpr (Block::is_serial) {
      for (int k = 0; k < N; ++k)
        for (Edge at = begin[k]; at < end[k] && found[k] < 0; ++at)
          if (const Vertex v = read_only(ends + at); has(v)) found[k] = v;
    } else {
      Edge at[N];
      EVENLY_UNROLL
      for (int k = 0; k < N; ++k) at[k] = floor_of_four(begin[k]);
      for (int four_of_lane = 0; four_of_lane < alone / 4; ++four_of_lane)
        if (!look_at_fours(begin, end, at, found)) break;
      for (int k = 0; k < N; ++k) {
        Edge from = pick(at, k), until = pick(end, k);
        Vertex parent = pick(found, k);
        if (!warp.any(parent < 0 && from < until)) continue;
        const bool goes = parent < 0 && until - from > many && defer(k, from);
        if (goes) until = from;
        look_together(warp, warp.size(), together, from, until, parent);
        look_together(warp, group_of(warp.size()), 0, from, until, parent);
        EVENLY_UNROLL
        for (int i = 0; i < N; ++i)
          if (i == k) found[i] = goes ? is_deferred : parent;
      }
    }
  }
  /// The number of lanes that look at a long row.
  EVENLY_FN static int group_of(int lanes) { return lanes % 8 == 0 ? 8 : lanes; }
  /// The same search where all lanes of a group have the same edges. begin: a multiple of 4.
  template <class Block>
  EVENLY_FN Vertex first_of_many(const lanes<Block>& warp, int group, Edge begin, Edge end) const {
    constexpr int ahead = 2; ///< groups of four that a lane has in flight
    const int rank = warp.rank() % group, first_of_group = warp.rank() - rank;
    Vertex found = -1;
    for (Edge from = begin; warp.any(found < 0 && from < end); from += ahead * 4 * group) {
      four some[ahead];
      EVENLY_UNROLL
      for (int j = 0; j < ahead; ++j)
        if (const Edge at = from + 4 * (j * group + rank); found < 0 && at < end)
          some[j] = read(at, begin, end);
      EVENLY_UNROLL
      for (int j = 0; j < ahead; ++j) {
        const Edge at = from + 4 * (j * group + rank);
        const Vertex mine = found < 0 && at < end ? first_of_four(some[j], at, begin, end) : Vertex{-1};
        const lane_mask those = warp.ballot(mine >= 0) >> first_of_group & first_lanes(group);
        const Vertex theirs =
            warp.shuffle(mine, those != 0 ? first_of_group + first_lane(those) : warp.rank());
        if (those != 0) found = theirs;
      }
    }
    return found;
  }

 private:
  /// The ends of four edges, from a multiple of 4 on.
  struct four {
    Vertex ends[4];
  };

  /// values[k], without an indexed access to registers.
  template <class T, int N> EVENLY_FN static T pick(const T (&values)[N], int k) {
    T value = values[0];
    EVENLY_UNROLL
    for (int i = 1; i < N; ++i)
      if (i == k) value = values[i];
    return value;
  }
  /// Looks at four more edges of each vertex without a match, one after the other. Returns whether there were any.
  template <int N>
  EVENLY_FN bool look_at_fours(const Edge (&begin)[N], const Edge (&end)[N], Edge (&at)[N],
                               Vertex (&found)[N]) const {
    four some[N];
    bool looks = false;
    EVENLY_UNROLL
    for (int k = 0; k < N; ++k) {
      if (found[k] >= 0 || at[k] >= end[k]) continue;
      some[k] = read(at[k], begin[k], end[k]);
      looks = true;
    }
    if (!looks) return false;
    EVENLY_UNROLL
    for (int j = 0; j < 4; ++j) {
      std::uint64_t word[N];
      EVENLY_UNROLL
      for (int k = 0; k < N; ++k) {
        const bool asks = found[k] < 0 && at[k] + j >= begin[k] && at[k] + j < end[k];
        word[k] = asks ? bits[some[k].ends[j] / 64] : 0;
      }
      EVENLY_UNROLL
      for (int k = 0; k < N; ++k)
        if (word[k] != 0 && (word[k] >> (some[k].ends[j] % 64) & 1) != 0) found[k] = some[k].ends[j];
    }
    EVENLY_UNROLL
    for (int k = 0; k < N; ++k) at[k] += 4;
    return true;
  }
  /// Loads four edges from `at` on, a multiple of 4; only those in [begin, end) are read.
  EVENLY_FN four read(Edge at, Edge begin, Edge end) const {
    four some{};
    read_four<true>(ends, at, begin, end, edges, some.ends);
    return some;
  }
  /// The first of four neighbours that is in the bitmap, or -1.
  EVENLY_FN Vertex first_of_four(const four& some, Edge at, Edge begin, Edge end) const {
    Vertex found = -1;
    EVENLY_UNROLL
    for (int j = 0; j < 4; ++j)
      if (found < 0 && at + j >= begin && at + j < end && has(some.ends[j])) found = some.ends[j];
    return found;
  }
  /// Processes the rows of lanes without a match that have more than `more` neighbours left from `at` on, a multiple of
  /// 4. Groups of lanes process one row after the other, four neighbours per lane.
  template <class Block>
  EVENLY_FN void look_together(const lanes<Block>& warp, int group, Edge more, Edge& at, Edge end,
                               Vertex& parent) const {
    const int begin = warp.rank() / group * group;
    for (;;) {
      const lane_mask open = warp.ballot(parent < 0 && end > at && end - at > more);
      if (open == 0) return;
      const lane_mask of_group = open >> begin & first_lanes(group);
      const int owner = of_group != 0 ? begin + first_lane(of_group) : warp.rank();
      const Edge from = warp.shuffle(at, owner), to = warp.shuffle(end, owner);
      const Edge mine = from + 4 * (warp.rank() - begin);
      Vertex found = -1;
      if (of_group != 0 && mine < to) found = first_of_four(read(mine, from, to), mine, from, to);
      const lane_mask those = warp.ballot(found >= 0) >> begin & first_lanes(group);
      const Vertex first = warp.shuffle(found, those != 0 ? begin + first_lane(those) : warp.rank());
      if (of_group == 0 || owner != warp.rank()) continue;
      if (those != 0) parent = first;
      at = to - from > 4 * group ? from + 4 * group : to;
    }
  }
};

} // namespace evenly::detail
