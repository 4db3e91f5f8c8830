// SPDX-License-Identifier: Apache-2.0
// The persistent kernel of up to 64 batched breadth-first searches. Each search has one bit in a word per vertex (Then
// et al.: The more the merrier: efficient multi-source graph traversal, VLDB 2014). An edge is visited once for all
// searches.
//
// The frontier is the set of vertices that some search reached on this level. Its number of edges decides how the level
// is done:
//
// - From the list (graph/detail/persistent_frontier.hpp): an edge passes on the searches that reached its start on the
//   previous level and have not reached its end. The first edge that passes a search to a vertex lists it. After a
//   barrier, each listed vertex takes its new searches.
// - Bottom-up (graph/detail/persistent_sweep.hpp): a vertex with missing searches reads those of its neighbours, until
//   it has all. The vertex already has the searches that a neighbour had before this level. So the words of the
//   neighbours suffice, and their new searches need not be known.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/read_four.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/arrive_by_edge.hpp"
#include "evenly/graph/detail/level_planes.hpp"
#include "evenly/graph/detail/persistent_frontier.hpp"
#include "evenly/graph/detail/persistent_sweep.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/search_rule.hpp"

namespace evenly::graphs {

/// The totals of a run.
struct together_totals {
  std::int64_t levels;    ///< number of frontiers with vertices
  std::int64_t vertices;  ///< in all frontiers
  std::int64_t edges;     ///< that leave vertices of the frontiers
  std::int64_t bottom_up; ///< number of bottom-up levels
  bool is_too_deep;       ///< whether some levels do not fit their type; the results are then invalid
};

/// The input and output of the searches. A word has one bit per search; arrays of words have one word per vertex.
template <class Vertex, class Edge, class Level> struct persistent_together_work {
  adjacency<Vertex, Edge> out, in; ///< `in` has no offsets if levels are not done bottom-up
  Vertex sources[max_together];
  int count; ///< number of searches, at least 1
  Level* levels;
  together_rule rule;
  std::uint64_t *reached, *other, *found; ///< words
  detail::level_planes<Vertex> planes;
  persistent_lists<Vertex, Edge> lists;
  totals_memory totals;
  sweep_giants<Vertex, Edge> giants;
  together_totals* done;
  search_level* level_log; ///< one entry per level, or null
};

} // namespace evenly::graphs

namespace evenly::detail {

/// The visit of an edge of the frontier (graph/detail/persistent_frontier.hpp).
template <class Vertex, class Edge> struct pass_searches_on {
  static constexpr bool lists_empty = true; ///< vertices without edges also take searches
  using staged = Vertex;                    ///< the edge's end

  adjacency<Vertex, Edge> out;
  const std::uint64_t* reached;
  const std::uint64_t* now; ///< of vertices in the frontier: the searches that reached them on this level
  std::uint64_t* found;

  /// Not used: this visit is not for levels that keep what they find without a look.
  EVENLY_FN static std::uint64_t unseen() { return ~std::uint64_t{0}; }
  EVENLY_FN Vertex load(Edge edge) const { return read_only(out.ends + edge); }
  EVENLY_FN void foresee(Vertex at) const { prefetch(reached + at); }
  EVENLY_FN void foresee_taking(Vertex at, std::uint64_t) const { prefetch(found + at); }
  EVENLY_FN std::uint64_t look(Vertex at) const { return reached[at]; }
  template <class Found>
  EVENLY_FN void take(Vertex from, Vertex at, std::uint64_t seen, const Found& listed) const {
    const std::uint64_t give = now[from] & ~seen;
    if (give == 0 || (give & ~atomic_ref(found[at]).load(order::relaxed{})) == 0) return;
    if (atomic_ref(found[at]).fetch_or(give, order::relaxed{}) == 0)
      listed(at, read_only(out.offsets + at), read_only(out.offsets + at + 1));
  }
};

/// The visit of a vertex bottom-up (graph/detail/persistent_sweep.hpp).
template <class Vertex, class Edge> struct gather_searches {
  adjacency<Vertex, Edge> out, in;
  const std::uint64_t* reached;
  std::uint64_t* other; ///< the searches that have reached each vertex after this level
  level_planes<Vertex> planes;
  std::uint64_t all; ///< all searches
  std::int64_t level;
  /// Counts of the thread: vertices found, edges that leave them, and edges that arrive at vertices that still miss
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

} // namespace evenly::detail

namespace evenly::graphs {

/// The shared memory of a block.
template <class Vertex, class Edge> struct persistent_together_slots {
  persistent_frontier_slots<Vertex, Edge, Vertex> frontier;
  slot<std::int64_t> counted; ///< counts of gather_searches, of the block

  EVENLY_FN static constexpr persistent_together_slots lay_out(storage_layout& layout, block_shape shape) {
    return {persistent_frontier_slots<Vertex, Edge, Vertex>::lay_out(layout, shape),
            layout.take<std::int64_t>(3)};
  }
};

/// The searches as seen by one thread of a block.
template <class Block, class Vertex, class Edge, class Level> struct persistent_together {
  const persistent_together_work<Vertex, Edge, Level>& work;
  Block& block;
  persistent_together_slots<Vertex, Edge> place;
  persistent_frontier<Block, Vertex, Edge, Vertex> frontier;
  persistent_sweep<Block, Vertex, Edge> sweep;
  std::uint64_t* reached; ///< before the frontier is visited, including it
  std::uint64_t* other;   ///< listed: the searches that reached each vertex of the frontier on this level;
                          ///< otherwise the searches that had reached it on the previous level
  frontier_size now = {};
  std::int64_t edges_left = 0; ///< an upper bound of the edges that arrive at vertices with missing searches
  std::int64_t level = 0;      ///< of the frontier
  bool is_listed = true;
  together_totals all = {};

  EVENLY_FN void run() {
    edges_left = work.in.edges;
    for_each_vertex([&](Vertex v) {
      reached[v] = 0;
      work.found[v] = 0;
    });
    for (int k = 0; k < smaller(2, work.planes.count); ++k) work.planes.clear(block, k);
    if (block.rank() == 0)
      for (int i = 0; i < 3; ++i) block.storage(place.counted)[i] = 0;
    frontier.start(0, 0, 0); // this also synchronises; the list now holds what is found from no frontier
    list_sources();
    now = frontier.sync_and_publish();
    settle();
    while (now.tiles > 0) {
      if (level > work.planes.max_level()) {
        all.is_too_deep = true;
        break;
      }
      const bool up =
          work.in.offsets != nullptr && work.rule.switch_to_bottom_up(now, edges_left, work.out.vertices);
      account(up);
      if (level >= 2 && ((level + 2) & (level + 1)) == 0 && level + 2 <= work.planes.max_level())
        work.planes.clear(block, width_of(level + 1));
      if (up)
        run_bottom_up();
      else
        run_top_down();
    }
    frontier.leave();
    detail::write_levels(block, work.planes, smaller(width_of(level - 1), work.planes.count), reached,
                         work.count, work.levels);
    if (block.index() == 0 && block.rank() == 0) *work.done = all;
  }

  EVENLY_FN static int width_of(std::int64_t number) {
    int bits = 0;
    while (number >> bits != 0) ++bits;
    return bits;
  }
  EVENLY_FN std::uint64_t searches() const { return first_lanes(work.count); }
  template <class Each> EVENLY_FN void for_each_vertex(const Each& each) const {
    const std::int64_t share = ceil_div<std::int64_t>(work.out.vertices, block.count());
    const std::int64_t begin = smaller<std::int64_t>(share * block.index(), work.out.vertices);
    const std::int64_t end = smaller<std::int64_t>(begin + share, work.out.vertices);
    for (std::int64_t v = begin + block.rank(); v < end; v += block.size()) each(static_cast<Vertex>(v));
  }

  EVENLY_FN void account(bool up) {
    ++all.levels;
    all.vertices += now.tiles;
    all.edges += now.atoms;
    all.bottom_up += up;
    if (work.level_log != nullptr && block.index() == 0 && block.rank() == 0)
      work.level_log[level] = {now.tiles, now.atoms, up ? level_mode::bottom_up : level_mode::global_queue};
  }

  EVENLY_FN void list_sources() {
    for (int base = 0; base < work.count; base += block.size()) {
      frontier.make_room(block.size());
      const int mine = base + block.rank();
      if (block.index() != 0 || mine >= work.count) continue;
      Vertex v = 0;
      EVENLY_UNROLL
      for (int i = 0; i < max_together; ++i) // dynamic indices would copy the parameters to local memory
        if (i == mine) v = work.sources[i];
      if (atomic_ref(work.found[v]).fetch_or(std::uint64_t{1} << mine, order::relaxed{}) == 0)
        frontier.template list_tile<true>(v, work.out.offsets[v], work.out.offsets[v + 1]);
    }
  }

  /// Listed vertices take the searches that were found. Synchronises.
  EVENLY_FN void settle() {
    frontier.for_each_listed([&](Vertex v) {
      const std::uint64_t more = work.found[v];
      work.found[v] = 0;
      other[v] = more;
      reached[v] |= more;
      work.planes.set(v, more, level);
    });
    frontier.sync();
  }

  EVENLY_FN void run_top_down() {
    if (!is_listed) list_new();
    const detail::pass_searches_on<Vertex, Edge> visit{work.out, reached, other, work.found};
    frontier.visit_list(now.atoms, block.index(), block.count(), false, visit);
    now = frontier.sync_and_publish();
    ++level;
    settle();
  }

  /// Lists the vertices reached on this level, after a previous level that was bottom-up.
  EVENLY_FN void list_new() {
    const auto vertices = std::int64_t{work.out.vertices};
    const std::int64_t threads = std::int64_t{block.count()} * block.size();
    for (std::int64_t base = 0; base < vertices; base += threads) {
      frontier.make_room(block.size());
      const std::int64_t i = base + std::int64_t{block.index()} * block.size() + block.rank();
      if (i >= vertices) continue;
      const auto v = static_cast<Vertex>(i);
      const std::uint64_t more = reached[v] & ~other[v];
      other[v] = more;
      if (more != 0)
        frontier.template list_tile<true>(v, read_only(work.out.offsets + v),
                                          read_only(work.out.offsets + v + 1));
    }
    now = frontier.sync_and_publish();
    is_listed = true;
  }

  EVENLY_FN void run_bottom_up() {
    std::int64_t counts[3] = {0, 0, 0};
    const detail::gather_searches<Vertex, Edge> visit{work.out,    work.in,    reached,   other,
                                                      work.planes, searches(), level + 1, &counts[0],
                                                      &counts[1],  &counts[2]};
    sweep.run(visit, [&] { frontier.sync(); });
    const auto counted = block.storage(place.counted);
    const lanes<Block> warp = this_warp(block);
    for (int i = 0; i < 3; ++i) {
      const std::int64_t sum = warp.scan(counts[i], plus<std::int64_t>{});
      if (warp.rank() == warp.size() - 1)
        atomic_ref(counted[i], scope::block{}).fetch_add(sum, order::relaxed{});
    }
    std::uint64_t left = 0;
    now = frontier.sync_and_count(
        [&](std::uint64_t& rest) -> frontier_size {
          const std::int64_t vertices = counted[0], edges = counted[1], missing = counted[2];
          for (int i = 0; i < 3; ++i) counted[i] = 0;
          rest = static_cast<std::uint64_t>(missing);
          return {vertices, edges};
        },
        left);
    edges_left = static_cast<std::int64_t>(left);
    std::uint64_t* const before = reached;
    reached = other;
    other = before;
    is_listed = false;
    ++level;
  }
};

/// The kernel, compiled for blocks of `Size` threads.
template <class Vertex, class Edge, class Level, int Size> struct persistent_together_kernel {
  static constexpr int tuned_block_size = Size;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = 1; ///< otherwise the compiler may give up registers for a second block
  static constexpr int max_blocks = 1;

  persistent_together_work<Vertex, Edge, Level> work;

  EVENLY_FN static constexpr persistent_together_slots<Vertex, Edge> lay_out(storage_layout& layout,
                                                                             block_shape shape) {
    return persistent_together_slots<Vertex, Edge>::lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    persistent_together<Block, Vertex, Edge, Level> searches{
        work,
        block,
        place,
        {block, place.frontier, work.lists, work.totals},
        {block, work.in.offsets, work.in.vertices, work.giants},
        work.reached,
        work.other};
    searches.run();
  }
};

} // namespace evenly::graphs
