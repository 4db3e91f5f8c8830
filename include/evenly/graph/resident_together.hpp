// SPDX-License-Identifier: Apache-2.0
// The kernel of up to 64 breadth-first searches that go together, a bit each in a word for each vertex (Then et al.:
// The more the merrier: efficient multi-source graph traversal, VLDB 2014). It stays from the first level to the last,
// and what many searches have in common is done once: an edge is looked at for all of them.
//
// The frontier is the vertices that some search has reached on this level; how a level is done is decided by its edges.
// From the list (schedules/resident_frontier.hpp): an edge gives its end the searches that reached its start on the
// level before and its end not yet; who is the first to give it some lists it. When all are in, each listed vertex
// takes them. Bottom-up (schedules/resident_sweep.hpp): a vertex that lacks searches gathers what its neighbours have,
// until it lacks none. What a neighbour had before this level, the vertex has too, so it is enough to know what
// neighbours have, and nobody needs to know what was new.
//
// Searches wait for each other. Bottom-up pays where each of them has a large part of the edges in its frontier: a
// vertex that lacks one which has few looks at all its neighbours in vain. So a search whose frontier has become large
// waits, at no cost, while those that are still small go on from the list; then all go on together. A pass is a level
// of the searches that take part in it; at the end passes become levels.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/level_planes.hpp"
#include "evenly/graph/detail/pass_searches_on.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/search_rule.hpp"
#include "evenly/schedules/resident_frontier.hpp"
#include "evenly/schedules/resident_sweep.hpp"

namespace evenly {

/// What was done.
struct together_totals {
  std::int64_t passes;       ///< more than the levels of a search, if it waited for others
  std::int64_t vertices;     ///< in the frontiers of all passes but the first of those that had waited
  std::int64_t edges;        ///< that leave all frontiers
  std::int64_t bottom_up;    ///< passes that were
  std::uint32_t is_too_deep; ///< 1: there are levels that their type does not hold, and nothing is right
};

/// Searches: what they read and write. Words: one for each vertex, a bit for each search.
template <class Vertex, class Edge, class Level> struct resident_together_work {
  adjacency<Vertex, Edge> out, in; ///< `in`: without offsets where levels are not done bottom-up
  Vertex sources[most_together];
  int count; ///< of searches: one at least
  Level* levels;
  together_rule rule;
  std::uint64_t *reached, *other, *found; ///< words
  detail::level_planes<Vertex> planes;
  resident_lists<Vertex, Edge> lists;
  totals_memory totals;
  sweep_giants<Vertex, Edge> giants;
  std::uint64_t* edges_of; ///< three times most_together: of each search, edges that leave its frontier
  std::int64_t* waits_at;  ///< of each search the pass from which on it waits
  together_totals* done;
  search_level* told; ///< of each level, or null
};

/// Storage of a block.
template <class Vertex, class Edge> struct resident_together_slots {
  resident_frontier_slots<Vertex, Edge, Vertex> frontier;
  slot<std::int64_t> counted; ///< what gather_searches counts, of the block; then, of block 0, what was done
  slot<std::uint32_t> edges_of;  ///< of each search, edges that leave what the block has settled
  slot<std::uint64_t> are_small; ///< searches whose frontiers are

  EVENLY_FN static constexpr resident_together_slots lay_out(storage_layout& layout, block_shape shape) {
    return {resident_frontier_slots<Vertex, Edge, Vertex>::lay_out(layout, shape),
            layout.take<std::int64_t>(3 + 4), layout.take<std::uint32_t>(most_together),
            layout.take<std::uint64_t>(1)};
  }
};

/// The searches as a thread of a block has them.
template <class Block, class Vertex, class Edge, class Level> struct resident_together {
  const resident_together_work<Vertex, Edge, Level>& work;
  Block& block;
  resident_together_slots<Vertex, Edge> place;
  resident_frontier<Block, Vertex, Edge, Vertex> frontier;
  resident_sweep<Block, Vertex, Edge> sweep;
  std::uint64_t* reached; ///< before the frontier is visited, with it
  std::uint64_t*
      other; ///< listed: of vertices in the frontier, who reached them on this level; else what was
             ///< reached on the level before
  frontier_size now = {};
  std::int64_t edges_left = 0; ///< at most so many arrive at vertices that lack searches
  std::int64_t level = 0;      ///< of the frontier
  bool is_listed = true;
  bool waiting = false;           ///< whether searches wait for others; once all have, none does
  bool starts_together = false;   ///< whether this is the first pass of those that waited
  std::uint64_t active = 0;       ///< searches that do not wait
  std::int64_t waiting_edges = 0; ///< that leave the frontiers of those that do
  std::int64_t together = 0;      ///< the pass from which on none waits

  EVENLY_FN void run() {
    edges_left = work.in.edges;
    waiting = work.in.offsets != nullptr && work.rule.alpha > 0;
    active = searches();
    clear_results();
    frontier.start(0, 0, 0); // and waits; what is listed now is what is found from nowhere
    list_sources();
    now = frontier.meet_listing();
    settle();
    while (now.tiles > 0 || starts_together) {
      if (level > work.planes.most()) {
        if (block.index() == 0 && block.rank() == 0)
          atomic_ref(work.done->is_too_deep).store(1u, order::relaxed{});
        break;
      }
      const bool up = starts_together || (!waiting && work.in.offsets != nullptr &&
                                          work.rule.goes_up(now, edges_left, work.out.vertices));
      starts_together = false;
      account(up);
      if (level >= 2 && ((level + 2) & (level + 1)) == 0 && level + 2 <= work.planes.most())
        work.planes.clear(block, width_of(level + 1));
      if (up)
        go_up();
      else
        go_down();
    }
    frontier.leave();
    const bool fits = detail::write_levels(block, work.planes, smaller(width_of(level), work.planes.count),
                                           reached, work.count, work.waits_at, together, work.levels);
    if (!fits) atomic_ref(work.done->is_too_deep).store(1u, order::relaxed{});
    if (block.index() != 0 || block.rank() != 0) return;
    const auto sums = block.storage(place.counted);
    const std::int64_t passes = sums[3], vertices = sums[4], edges = sums[5], bottom_up = sums[6];
    work.done->passes = passes;
    work.done->vertices = vertices;
    work.done->edges = edges;
    work.done->bottom_up = bottom_up;
  }

  EVENLY_FN void clear_results() {
    for_each_vertex([&](Vertex v) {
      reached[v] = 0;
      work.found[v] = 0;
    });
    for (int k = 0; k < smaller(2, work.planes.count); ++k) work.planes.clear(block, k);
    if (block.rank() == 0)
      for (int i = 0; i < 3 + 4; ++i) block.storage(place.counted)[i] = 0;
    for (int i = block.rank(); i < most_together; i += block.size()) {
      block.storage(place.edges_of)[i] = 0;
      if (block.index() != 0) continue;
      work.waits_at[i] = detail::never_waits;
      for (int turn = 0; turn < 3; ++turn) work.edges_of[turn * most_together + i] = 0;
    }
    if (block.index() == 0 && block.rank() == 0) work.done->is_too_deep = 0;
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
    if (block.index() != 0 || block.rank() != 0) return;
    const auto sums = block.storage(place.counted);
    const std::int64_t more[4] = {1, now.tiles, now.atoms, up};
    EVENLY_UNROLL
    for (int i = 0; i < 4; ++i) {
      const std::int64_t so_far = sums[3 + i];
      sums[3 + i] = so_far + more[i];
    }
    if (work.told != nullptr)
      work.told[level] = {now.tiles, now.atoms, up ? search_way::bottom_up : search_way::wide};
  }

  EVENLY_FN void list_sources() {
    for (int base = 0; base < work.count; base += block.size()) {
      frontier.make_room(block.size());
      const int mine = base + block.rank();
      if (block.index() != 0 || mine >= work.count) continue;
      Vertex v = 0;
      EVENLY_UNROLL
      for (int i = 0; i < most_together; ++i) // or parameters would be copied, to be indexed
        if (i == mine) v = work.sources[i];
      if (atomic_ref(work.found[v]).fetch_or(std::uint64_t{1} << mine, order::relaxed{}) == 0)
        frontier.template list_tile<true>(v, work.out.offsets[v], work.out.offsets[v + 1]);
    }
  }

  /// What was found, listed vertices take; then searches whose frontiers have become large wait. Waits.
  EVENLY_FN void settle() {
    const auto edges_of = block.storage(place.edges_of);
    frontier.for_each_listed([&](Vertex v, Edge begin, Edge end) {
      std::uint64_t more = work.found[v];
      work.found[v] = 0;
      other[v] = more;
      reached[v] |= more;
      if (level <= work.planes.most()) work.planes.set(v, more, level);
      if (!waiting || begin == end) return;
      for (; more != 0; more &= more - 1)
        atomic_ref(edges_of[first_lane(more)], scope::block{})
            .fetch_add(static_cast<std::uint32_t>(end - begin), order::relaxed{});
    });
    if (!waiting) return frontier.meet();
    const std::int64_t turn = level % 3 * most_together;
    block.sync();
    for (int i = block.rank(); i < work.count; i += block.size()) {
      const std::uint32_t edges = edges_of[i];
      edges_of[i] = 0;
      if (edges > 0) atomic_ref(work.edges_of[turn + i]).fetch_add(std::uint64_t{edges}, order::relaxed{});
    }
    if (block.rank() == 0) block.storage(place.are_small)[0] = 0;
    frontier.meet();
    let_wait(turn);
  }

  EVENLY_FN void let_wait(std::int64_t turn) {
    const auto are_small = block.storage(place.are_small);
    const std::int64_t before_last = (level + 2) % 3 * most_together; // all have read it
    for (int i = block.rank(); i < work.count; i += block.size()) {
      const std::uint64_t edges = atomic_ref(work.edges_of[turn + i]).load(order::relaxed{});
      const std::uint64_t bit = std::uint64_t{1} << i;
      if (!work.rule.waits(edges, work.out.edges))
        atomic_ref(are_small[0], scope::block{}).fetch_or(bit, order::relaxed{});
      else if (block.index() == 0 && (active & bit) != 0)
        work.waits_at[i] = level;
      if (block.index() == 0) atomic_ref(work.edges_of[before_last + i]).store(0, order::relaxed{});
    }
    block.sync();
    const std::uint64_t small = are_small[0], wait_now = active & ~small;
    if (wait_now != 0) {
      active &= small;
      for (int i = 0; i < work.count; ++i)
        if ((wait_now >> i & 1) != 0)
          waiting_edges +=
              static_cast<std::int64_t>(atomic_ref(work.edges_of[turn + i]).load(order::relaxed{}));
      list_active();
    }
    if (now.tiles > 0) return;
    waiting = false;
    together = level;
    starts_together = active != searches();
    active = searches();
    now = {0, waiting_edges};
  }
  /// Of the listed vertices those that were reached by searches which do not wait.
  EVENLY_FN void list_active() {
    frontier.for_each_listed([&](Vertex v, Edge begin, Edge end) {
      if ((other[v] & active) != 0) frontier.template list_tile<true>(v, begin, end);
    });
    now = frontier.meet_listing();
  }

  EVENLY_FN void go_down() {
    if (!is_listed) list_new();
    const detail::pass_searches_on<Vertex, Edge> visit{work.out, reached, other, active, work.found};
    frontier.visit_list(now.atoms, block.index(), block.count(), false, visit);
    now = frontier.meet_listing();
    ++level;
    settle();
  }

  /// The list of what was reached on this level, where the level before was done bottom-up.
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
    now = frontier.meet_listing();
    is_listed = true;
  }

  EVENLY_FN void go_up() {
    std::int64_t counts[3] = {0, 0, 0};
    const detail::gather_searches<Vertex, Edge> visit{work.out,    work.in,    reached,   other,
                                                      work.planes, searches(), level + 1, &counts[0],
                                                      &counts[1],  &counts[2]};
    sweep.run(visit, [&] { frontier.meet(); });
    const auto counted = block.storage(place.counted);
    const lanes<Block> warp = this_warp(block);
    for (int i = 0; i < 3; ++i) {
      const std::int64_t sum = warp.scan(counts[i], plus<std::int64_t>{});
      if (warp.rank() == warp.size() - 1)
        atomic_ref(counted[i], scope::block{}).fetch_add(sum, order::relaxed{});
    }
    std::uint64_t left = 0;
    now = frontier.meet_counting(
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

/// Compiled for blocks of `Size` threads.
template <class Vertex, class Edge, class Level, int Size> struct resident_together_kernel {
  static constexpr int tuned_block_size = Size;
  static constexpr bool only_tuned_size = true;
  static constexpr int least_blocks = 1; ///< or the compiler may give up registers for a second one
  static constexpr int most_blocks = 1;

  resident_together_work<Vertex, Edge, Level> work;

  EVENLY_FN static constexpr resident_together_slots<Vertex, Edge> lay_out(storage_layout& layout,
                                                                           block_shape shape) {
    return resident_together_slots<Vertex, Edge>::lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    resident_together<Block, Vertex, Edge, Level> searches{
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

} // namespace evenly
