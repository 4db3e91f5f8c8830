// SPDX-License-Identifier: Apache-2.0
// The first neighbour of a vertex that is in a bitmap (graph/resident_bfs.hpp, bottom-up).
//
// A lane looks at some neighbours of its vertex alone. What is longer, eight lanes look at together, one vertex after
// the other, while the others of the warp have other vertices: where one vertex of many edges has no such neighbour,
// the rest of the warp waits for a quarter of the vertices only.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

template <class Vertex, class Edge> struct neighbour_in_bits {
  static constexpr int alone = 20;     ///< neighbours that a lane looks at before others help it
  static constexpr int together = 512; ///< if there are more left, the whole warp does

  const Vertex* ends;
  const std::uint64_t* bits;

  EVENLY_FN bool has(Vertex v) const { return (bits[v / 64] >> (v % 64) & 1) != 0; }

  /// Of the edges [begin, end) the end of the first one that is in the bitmap, -1 if there is none; `found`: what
  /// first_of_four says of the first four. By all lanes of a warp, each with a vertex.
  template <class Block>
  EVENLY_FN Vertex first(const lanes<Block>& warp, Edge begin, Edge end, Vertex found) const {
    if constexpr (Block::is_serial) {
      for (Edge at = begin; at < end && found < 0; ++at)
        if (const Vertex v = read_only(ends + at); has(v)) found = v;
    } else {
      Edge until = begin + smaller<Edge>(alone, end - begin);
      for (Edge at = begin + 4; at < until && found < 0; at += 4) found = first_of_four(at, until);
      look_together(warp, warp.size(), together, until, end, found);
      look_together(warp, warp.size() % 8 == 0 ? 8 : 1, 0, until, end, found);
    }
    return found;
  }
  /// The first of up to four neighbours, from edge `at` on, that is in the frontier, or -1.
  EVENLY_FN Vertex first_of_four(Edge at, Edge end) const {
    Vertex from[4];
    EVENLY_UNROLL
    for (int j = 0; j < 4; ++j) from[j] = read_only(ends + smaller<Edge>(at + j, end - 1));
    Vertex found = -1;
    EVENLY_UNROLL
    for (int j = 3; j >= 0; --j)
      if (has(from[j])) found = from[j];
    return found;
  }

 private:
  /// What lanes have left, `more` than so many neighbours from `at` on, if they have found none: groups of lanes look
  /// at one vertex after the other, four neighbours each.
  template <class Block>
  EVENLY_FN void look_together(const lanes<Block>& warp, int group, Edge more, Edge& at, Edge end,
                               Vertex& parent) const {
    const int begin = warp.rank() / group * group;
    for (;;) {
      const lane_mask open = warp.ballot(parent < 0 && end - at > more);
      if (open == 0) return;
      const lane_mask of_group = open >> begin & first_lanes(group);
      const int owner = of_group != 0 ? begin + first_lane(of_group) : warp.rank();
      const Edge from = warp.shuffle(at, owner), to = warp.shuffle(end, owner);
      Vertex found = -1;
      if (of_group != 0 && warp.rank() - begin < ceil_div<Edge>(smaller<Edge>(to - from, 4 * group), 4))
        found = first_of_four(from + 4 * (warp.rank() - begin), to);
      const lane_mask those = warp.ballot(found >= 0) >> begin & first_lanes(group);
      const Vertex first = warp.shuffle(found, those != 0 ? begin + first_lane(those) : warp.rank());
      if (of_group == 0 || owner != warp.rank()) continue;
      if (those != 0) parent = first;
      at = from + smaller<Edge>(to - from, 4 * group);
    }
  }
};

} // namespace evenly::detail
