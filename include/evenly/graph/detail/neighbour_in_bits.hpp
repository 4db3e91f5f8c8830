// SPDX-License-Identifier: Apache-2.0
// The first neighbour of a vertex that is in a bitmap (graph/resident_bfs.hpp, bottom-up).
//
// A lane looks at some neighbours of its vertex alone. What is longer, eight lanes look at together, one vertex after
// the other, while the others of the warp have other vertices: where one vertex of many edges has no such neighbour,
// the rest of the warp waits for a quarter of the vertices only.
//
// What a level costs is how often lanes ask the first cache, each for a place of its own. So a lane reads four
// neighbours at once, and then asks for one bit after the other, as most look no further than at one or two.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/read_four.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly::detail {

template <class Vertex, class Edge> struct neighbour_in_bits {
  static constexpr int alone = 20;     ///< neighbours that a lane looks at before others help it
  static constexpr int together = 512; ///< if there are more left, the whole warp does

  /// Ends of edges from a multiple of 4 on.
  struct four {
    Vertex ends[4];
  };

  const Vertex* ends;
  Edge edges; ///< of the graph
  const std::uint64_t* bits;

  EVENLY_FN bool has(Vertex v) const { return (bits[v / 64] >> (v % 64) & 1) != 0; }

  /// Of the edges [begin, end) the end of the first one that is in the bitmap, -1 if there is none. first: the four
  /// that edge `begin` is in, where there is such an edge. By all lanes of a warp, each with a vertex.
  template <class Block>
  EVENLY_FN Vertex first(const lanes<Block>& warp, Edge begin, Edge end, const four& first) const {
    Vertex found = -1;
    if constexpr (Block::is_serial) {
      for (Edge at = begin; at < end && found < 0; ++at)
        if (const Vertex v = read_only(ends + at); has(v)) found = v;
    } else {
      Edge at = floor_of_four(begin);
      const Edge until = smaller<Edge>(at + alone, end);
      if (begin < end) found = first_of(first, at, begin, end);
      for (at += 4; at < until && found < 0; at += 4) found = first_of(read(at, begin, end), at, begin, end);
      look_together(warp, warp.size(), together, at, end, found);
      look_together(warp, warp.size() % 8 == 0 ? 8 : 1, 0, at, end, found);
    }
    return found;
  }
  /// The four that edge `begin` is in.
  EVENLY_FN four read_first(Edge begin, Edge end) const {
    return begin < end ? read(floor_of_four(begin), begin, end) : four{};
  }

 private:
  /// Edges from `at` on, a multiple of 4, of which those in [begin, end) are read.
  EVENLY_FN four read(Edge at, Edge begin, Edge end) const {
    four some{};
    read_four(ends, at, begin, end, edges, some.ends);
    return some;
  }
  /// The first of four neighbours that is in the bitmap, or -1.
  EVENLY_FN Vertex first_of(const four& some, Edge at, Edge begin, Edge end) const {
    Vertex found = -1;
    EVENLY_UNROLL
    for (int j = 0; j < 4; ++j)
      if (found < 0 && at + j >= begin && at + j < end && has(some.ends[j])) found = some.ends[j];
    return found;
  }
  /// What lanes have left, `more` than so many neighbours from `at` on, a multiple of 4, if they have found none:
  /// groups of lanes look at one vertex after the other, four neighbours each.
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
      if (of_group != 0 && mine < to) found = first_of(read(mine, from, to), mine, from, to);
      const lane_mask those = warp.ballot(found >= 0) >> begin & first_lanes(group);
      const Vertex first = warp.shuffle(found, those != 0 ? begin + first_lane(those) : warp.rank());
      if (of_group == 0 || owner != warp.rank()) continue;
      if (those != 0) parent = first;
      at = to - from > 4 * group ? from + 4 * group : to;
    }
  }
};

} // namespace evenly::detail
