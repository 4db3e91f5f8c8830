// SPDX-License-Identifier: Apache-2.0
// The persistent kernel of a breadth-first search: one launch runs from the first level to the last.
//
// Every block decides how each level is done (level_mode), from the same numbers: the vertices and edges of the
// frontier. Top-down, the blocks share the edges of the frontier (graph/detail/persistent_frontier.hpp). The first edge
// to reach a vertex sets its level by compare-and-swap; all edges from the previous level lower its parent. Bottom-up
// (Beamer, Asanovic, Patterson: Direction-optimizing breadth-first search, SC 2012), vertices without a level look for
// a neighbour in the bitmap of the frontier (detail/bottom_up_level.hpp). The edges that arrive are in the order of
// their sources, so the first match is the neighbour of lowest number.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/arrive_by_edge.hpp"
#include "evenly/graph/detail/bottom_up_level.hpp"
#include "evenly/graph/detail/persistent_frontier.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/search_rule.hpp"

namespace evenly::graphs {

/// The memory of a search in addition to the graph and the result.
template <class Vertex, class Edge> struct persistent_bfs_memory {
  persistent_lists<Vertex, Edge> lists;
  totals_memory totals;
  std::uint64_t* bits; ///< three consecutive bitmaps: two frontiers, and the vertices without a level
  /// Where block 0 stopped after it ran alone.
  struct place {
    Vertex level;
    std::int64_t edges_left;
  };
  place* alone;
  search_totals* done;
};

/// The input and output of a search.
template <class Vertex, class Edge> struct persistent_bfs_work {
  adjacency<Vertex, Edge> out, in; ///< `in` has no offsets if the search does not go bottom-up
  Vertex source;
  Vertex* levels;
  Vertex* parents; ///< or null
  search_rule rule;
  int single_block_after; ///< consecutive short frontiers, after which one block may go on alone
  int growth;             ///< the likely ratio of the edges of the next frontier to those of this one
  /// The capacity for the next frontier, as edges of the current frontier per block that has some.
  std::int64_t kept_edges_per_block;
  float twice_a_block; ///< 2 / number of blocks
  std::int64_t steady; ///< up to so many kept edges, blocks continue without a choice of mode
  persistent_bfs_memory<Vertex, Edge> memory;
  search_level* level_log; ///< one entry per level, or null
};

/// The shared memory of a block.
template <class Vertex, class Edge> struct persistent_bfs_slots {
  persistent_frontier_slots<Vertex, Edge, Vertex> frontier;
  slot<std::int64_t> done; ///< of block 0: vertices reached so far, then levels of each mode
  slot<Edge> counted;      ///< counts of a bottom-up level, of the block
  detail::deferred_slots<Vertex, Edge> later; ///< vertices deferred to the end of a bottom-up level

  EVENLY_FN static constexpr persistent_bfs_slots lay_out(storage_layout& layout, block_shape shape) {
    return {persistent_frontier_slots<Vertex, Edge, Vertex>::lay_out(layout, shape),
            layout.take<std::int64_t>(1 + level_modes), layout.take<Edge>(3),
            detail::deferred_slots<Vertex, Edge>::lay_out(layout, shape)};
  }
};

/// A search as seen by one thread of a block.
template <class Block, class Vertex, class Edge> struct persistent_bfs {
  /// Nanoseconds between two polls of a sleeping block, while block 0 runs alone.
  static constexpr std::uint32_t sleep = 200;
  static constexpr int bits_of_word = detail::bits_of_word;

  const persistent_bfs_work<Vertex, Edge>& work;
  Block& block;
  persistent_bfs_slots<Vertex, Edge> place;
  persistent_frontier<Block, Vertex, Edge, Vertex> frontier;
  frontier_size now = {};        ///< the current frontier
  std::int64_t tiles_before = 0; ///< vertices of the previous frontier
  int small_levels = 0;          ///< consecutive frontiers up to this one with few enough edges for one block
  std::int64_t edges_left = 0;   ///< that leave vertices which have not been on a frontier
  Vertex level = 0;              ///< of the current frontier
  enum { listed, kept, marked, in_bits } where = listed; ///< marked: in bits for the first time
  int holders = 0;                                       ///< kept: at most so many blocks have a part of it
  int bitmap = 0;
  bool is_clear = true;              ///< whether no vertex has been marked so far
  int narrow_ones = 0;               ///< in_bits: the number of consecutive narrow frontiers up to now
  std::int64_t unvisited_before = 0; ///< of the bottom-up levels so far
  std::int64_t unvisited_edges = -1; ///< in_bits: edges that arrive at vertices without a level; -1: unknown

  EVENLY_FN void run() {
    detail::fill_results(block, work.levels, work.out.vertices, work.source, Vertex{0});
    if (work.parents != nullptr)
      detail::fill_results(block, work.parents, work.out.vertices, work.source, work.source);
    if (notes())
      for (int i = 0; i <= level_modes; ++i) block.storage(place.done)[i] = 0;
    if (block.rank() == 0) {
      for (int i = 0; i < 3; ++i) block.storage(place.counted)[i] = 0;
      block.storage(place.later.count)[0] = 0;
    }
    if (work.in.offsets != nullptr) clear_bits();
    const Vertex source = work.source;
    now = frontier.start(source, work.out.offsets[source], work.out.offsets[source + 1]);
    edges_left = work.out.edges;
    while (now.atoms > 0) {
      choose_direction();
      if (where == in_bits)
        run_bottom_up();
      else if (small_levels >= work.single_block_after && is_single_block())
        run_single_block();
      else if (predicts_bottom_up())
        top_down_and_build_bitmap();
      else
        run_top_down();
    }
    if (now.tiles > 0) account(now, level_mode::block_local);
    frontier.leave();
    if (notes()) write_totals();
  }

  /// Whether this thread writes the log: a thread that has less work than others.
  EVENLY_FN bool notes() const { return block.index() == 0 && block.rank() == block.size() - 1; }
  EVENLY_FN detail::arrive_by_edge<Vertex, Edge, Block::is_serial> visit() const {
    return {work.out, work.levels, work.parents, static_cast<Vertex>(level + 1)};
  }
  /// Updates the counts before the edges of a frontier are visited.
  EVENLY_FN void account(const frontier_size& of, level_mode mode) {
    edges_left -= of.atoms;
    tiles_before = of.tiles;
    small_levels = of.atoms <= work.rule.single_block_from ? small_levels + 1 : 0;
    frontier.set_limit(static_cast<int>(static_cast<float>(of.atoms) * work.twice_a_block));
    if (!notes()) return;
    if (work.level_log != nullptr) work.level_log[level] = {of.tiles, of.atoms, mode};
    add(0, of.tiles);
    add(1 + static_cast<int>(mode), 1);
  }
  EVENLY_FN void add(int to, std::int64_t more) const {
    const auto sums = block.storage(place.done);
    const std::int64_t so_far = sums[to];
    sums[to] = so_far + more;
  }
  EVENLY_FN void write_totals() const {
    const auto sums = block.storage(place.done);
    const std::int64_t reached = sums[0];
    search_totals all{level + std::int64_t{now.tiles > 0}, reached, work.out.edges - edges_left, {}};
    for (int mode = 0; mode < level_modes; ++mode) {
      const std::int64_t levels = sums[1 + mode];
      all.levels_of_mode[mode] = levels;
    }
    *work.memory.done = all;
  }

  EVENLY_FN void choose_direction() {
    if (work.in.offsets == nullptr) return;
    const std::int64_t vertices = work.out.vertices;
    if (where == in_bits) {
      if (unvisited_edges >= 0) unvisited_before = unvisited_edges;
      const bool narrows = !finds_many() || work.rule.switch_to_top_down(now, tiles_before, vertices) ||
                           (narrow_ones > 0 && now.tiles <= tiles_before);
      narrow_ones = narrows ? narrow_ones + 1 : 0;
      if (narrows && !(narrow_ones <= few_narrow && stays_bottom_up())) list_bits();
      return;
    }
    if (finds_many() && work.rule.switch_to_bottom_up(
                            now, tiles_before, static_cast<double>(edges_left - now.atoms), vertices)) {
      if (where != marked) {
        mark_frontier();
        frontier.sync();
      }
      is_clear = false;
      where = in_bits;
      narrow_ones = 0;
      unvisited_edges = -1;
    } else if (where == marked) {
      list_bits();
    }
  }
  EVENLY_FN void list_bits() {
    list_bitmap();
    now = frontier.sync_and_publish();
    where = listed;
  }

  /// Whether the vertices that the last bottom-up level left without a level had at most `many_times` the edges of the
  /// frontier. Such vertices look at all their edges, perhaps at every level if they cannot be reached.
  EVENLY_FN bool finds_many() const { return unvisited_before <= many_times * now.atoms; }
  static constexpr std::int64_t many_times = 4;
  /// The maximum number of consecutive narrow levels done bottom-up. A search may end with these, or go on for many.
  static constexpr int few_narrow = 2;
  /// Whether so little is unvisited that a bottom-up level costs less than a list of the frontier.
  EVENLY_FN bool stays_bottom_up() const {
    constexpr int few = 16; ///< words of the bitmap per warp
    return unvisited_edges * search_rule::min_fraction <= work.out.vertices &&
           words() <= std::int64_t{few} * block.count() * block.shape().warps();
  }
  EVENLY_FN bool is_single_block() const {
    return now.atoms <= work.rule.single_block_from &&
           now.atoms * work.growth < 2 * work.rule.single_block_from && frontier.may_keep(now.atoms, 1);
  }
  /// Runs levels by one block, until the frontier is wide or has no edges. The other blocks wait.
  EVENLY_FN void run_single_block() {
    if (where == kept) now = frontier.sync_and_publish();
    if (block.index() == 0) {
      bool fits = true, from_list = true;
      for (frontier_size mine = now; fits && mine.atoms > 0 && mine.atoms <= work.rule.single_block_until;) {
        account(mine, level_mode::single_block);
        if (from_list)
          frontier.visit_list(mine.atoms, 0, 1, true, visit());
        else
          frontier.template visit_kept<true>(visit());
        from_list = false;
        mine = frontier.continue_single_block(visit(), fits);
        ++level;
      }
      if (notes()) *work.memory.alone = {level, edges_left};
    }
    now = frontier.sync_and_publish(block.index() == 0 ? 0 : sleep);
    const auto [came, left] = *work.memory.alone;
    level = came;
    edges_left = left;
    tiles_before = 0;
    small_levels = 0;
    where = listed;
  }

  /// Runs levels top-down by all blocks. Blocks keep what they find if each is likely to have room for its part. They
  /// go on while this holds and no other mode can be better.
  EVENLY_FN void run_top_down() {
    if (where == listed) holders = static_cast<int>(smaller<std::int64_t>(now.atoms, block.count()));
    // Even a single vertex may lead to more vertices than a block has room for.
    const std::int64_t max =
        frontier.may_keep(std::int64_t{2} * work.growth, 1) ? holders * work.kept_edges_per_block : 0;
    const bool keeps = now.atoms <= max;
    bool continues = false;
    do {
      account(now, where == kept || keeps ? level_mode::block_local : level_mode::global_queue);
      if (where == listed)
        frontier.visit_list(now.atoms, block.index(), block.count(), keeps, visit());
      else if (keeps)
        frontier.template visit_kept<true>(visit());
      else
        frontier.template visit_kept<false>(visit());
      if (keeps) continues = frontier.sync_and_keep(visit(), now);
      where = continues ? kept : listed;
      ++level;
    } while (continues && now.atoms > work.rule.single_block_from && now.atoms <= smaller(max, work.steady));
    if (!continues) now = frontier.sync_and_publish();
  }

  /// Runs a level top-down whose successor will be done bottom-up: the next frontier becomes a bitmap.
  EVENLY_FN void top_down_and_build_bitmap() {
    account(now, where == kept ? level_mode::block_local : level_mode::global_queue);
    detail::bottom_up_counts<Edge> found = {};
    const detail::mark_by_edge<Vertex, Edge, Block::is_serial> visit_marking{visit(), bits(bitmap),
                                                                             &found.of[0], &found.of[1]};
    if (where == listed)
      frontier.visit_list(now.atoms, block.index(), block.count(), false, visit_marking);
    else
      frontier.template visit_kept<false>(visit_marking);
    sync_and_count(found);
    ++level;
    where = marked;
    is_clear = false;
  }
  /// Whether the next frontier is predicted to be wide enough for bottom-up.
  EVENLY_FN bool predicts_bottom_up() const {
    if (!is_clear || work.in.offsets == nullptr) return false;
    const std::int64_t left = edges_left - now.atoms;
    const frontier_size next{now.tiles, smaller(now.atoms * work.growth, left)};
    return work.rule.switch_to_bottom_up(next, now.tiles, static_cast<double>(left - next.atoms),
                                         work.out.vertices);
  }
  /// The barrier after a level that lists nothing. Returns the sum of found.of[2].
  EVENLY_FN std::int64_t sync_and_count(const detail::bottom_up_counts<Edge>& found) {
    const auto counted = block.storage(place.counted);
    const lanes<Block> warp = this_warp(block);
    for (int i = 0; i < 3; ++i) {
      const Edge sum = warp.scan(found.of[i], plus<Edge>{});
      if (warp.rank() == warp.size() - 1)
        atomic_ref(counted[i], scope::block{}).fetch_add(sum, order::relaxed{});
    }
    std::uint64_t unvisited = 0;
    now = frontier.sync_and_count(
        [&](std::uint64_t& rest) -> frontier_size {
          const Edge vertices = counted[0], edges = counted[1], left = counted[2];
          for (int i = 0; i < 3; ++i) counted[i] = 0;
          block.storage(place.later.count)[0] = 0;
          rest = static_cast<std::uint64_t>(left);
          return {vertices, edges};
        },
        unvisited);
    return static_cast<std::int64_t>(unvisited);
  }

  // --- bottom-up ---

  EVENLY_FN std::int64_t words() const { return ceil_div<std::int64_t>(work.out.vertices, bits_of_word); }
  EVENLY_FN std::uint64_t* bits(int which) const { return work.memory.bits + which * words(); }

  EVENLY_FN void clear_bits() const {
    const std::int64_t threads = std::int64_t{block.count()} * block.size();
    for (std::int64_t i = std::int64_t{block.index()} * block.size() + block.rank(); i < words();
         i += threads)
      bits(bitmap)[i] = 0;
  }
  /// Marks the vertices of the frontier in the bitmap.
  EVENLY_FN void mark_frontier() {
    const lanes<Block> warp = this_warp(block);
    const auto mine = detail::words_of_warp::among(block, words());
    for (std::int64_t word = mine.first; word < mine.end; word += mine.stride) {
      constexpr int each =
          Block::is_serial ? 1 : 2; ///< vertices per lane, whose levels are loaded at the same time
      std::uint64_t mask = 0;
      for (int first = 0; first < bits_of_word; first += each * warp.size()) {
        Vertex level_of[each];
        EVENLY_UNROLL
        for (int j = 0; j < each; ++j) level_of[j] = level_at(word, first + j * warp.size() + warp.rank());
        EVENLY_UNROLL
        for (int j = 0; j < each; ++j) {
          const lane_mask these = warp.ballot(level_of[j] == level);
          if (const int bit = first + j * warp.size(); bit < bits_of_word) mask |= these << bit;
        }
      }
      if (warp.rank() == 0) bits(bitmap)[word] = mask;
    }
  }
  /// The level of a vertex of a word; -2 if there is no such vertex.
  EVENLY_FN Vertex level_at(std::int64_t word, int bit) const {
    const std::int64_t v = word * bits_of_word + bit;
    return bit < bits_of_word && v < work.out.vertices ? work.levels[v] : -2;
  }

  /// Makes a list of the bitmap. Each thread has consecutive vertices, and loads their bits at once.
  EVENLY_FN void list_bitmap() {
    constexpr int each = Block::is_serial ? bits_of_word : 2;
    const auto vertices = std::int64_t{work.out.vertices};
    const std::int64_t threads = std::int64_t{block.count()} * block.size();
    for (std::int64_t base = 0; base < vertices; base += each * threads) {
      frontier.make_room(each * block.size());
      const std::int64_t first = base + each * (std::int64_t{block.index()} * block.size() + block.rank());
      if (first >= vertices) continue;
      std::uint64_t mine = bits(bitmap)[first / bits_of_word] >> (first % bits_of_word) & first_lanes(each);
      for (; mine != 0; mine &= mine - 1) {
        const auto v = static_cast<Vertex>(first + first_lane(mine));
        frontier.list_tile(v, read_only(work.out.offsets + v), read_only(work.out.offsets + v + 1));
      }
    }
  }

  EVENLY_FN void run_bottom_up() {
    account(now, level_mode::bottom_up);
    if (unvisited_edges == 0) { // no vertex is left to find
      now = {};
      ++level;
      return;
    }
    const detail::bottom_up_level<Block, Vertex, Edge> one{
        block,        work.in,          work.out.offsets,
        work.levels,  work.parents,     static_cast<Vertex>(level + 1),
        bits(bitmap), bits(1 - bitmap), bits(2),
        place.later};
    const auto found = unvisited_edges < 0 ? detail::look_at_all(one) : detail::visit_unvisited(one);
    unvisited_edges = sync_and_count(found);
    bitmap = 1 - bitmap;
    ++level;
  }
};

/// The kernel, compiled for blocks of `Size` threads.
template <class Vertex, class Edge, int Size> struct persistent_bfs_kernel {
  static constexpr int tuned_block_size = Size;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = 1; ///< otherwise the compiler may give up registers for a second block
  static constexpr int max_blocks = 1;

  persistent_bfs_work<Vertex, Edge> work;

  EVENLY_FN static constexpr persistent_bfs_slots<Vertex, Edge> lay_out(storage_layout& layout,
                                                                        block_shape shape) {
    return persistent_bfs_slots<Vertex, Edge>::lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const auto place = lay_out(layout, block.shape());
    persistent_bfs<Block, Vertex, Edge> search{
        work, block, place, {block, place.frontier, work.memory.lists, work.memory.totals}};
    search.run();
  }
};

} // namespace evenly::graphs
