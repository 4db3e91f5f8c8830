// SPDX-License-Identifier: Apache-2.0
// The persistent kernel of a breadth-first search: one launch runs from the first level to the last.
//
// Every block decides how each level is done (level_mode), from the same numbers: the vertices and edges of the
// frontier. Top-down, the blocks share the edges of the frontier (graph/detail/persistent_frontier.hpp). The first edge
// to reach a vertex sets its level by compare-and-swap; all edges from the previous level lower its parent. Bottom-up
// (Beamer, Asanovic, Patterson: Direction-optimizing breadth-first search, SC 2012), vertices without a level look for
// a neighbour in the bitmap of the frontier. Incoming edges are in the order of their
// sources, so the first match is the neighbour of lowest number.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/read_four.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/arrive_by_edge.hpp"
#include "evenly/graph/detail/persistent_frontier.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/search_rule.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// The first neighbour of a vertex that is in a bitmap, for bottom-up levels.
//
// A lane looks at the first neighbours of its vertex alone. Longer rows are processed by eight lanes together, one
// vertex after the other, while other groups of the warp process other vertices. So a vertex with many edges and no
// match delays only a quarter of the vertices of the warp. The caller may defer still longer rows until all warps of
// the block can share them, since such vertices often have consecutive numbers.
//
// The cost of a level is the number of separate requests to the first-level cache, and their latency. So a lane loads
// four neighbours at once and then tests one bit after the other, since most vertices need only one or two. It does so
// for several vertices at the same time.

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

// --- details ---------------------------------------------------------------------------------------------------------
// A bottom-up level of a breadth-first search by persistent blocks: vertices without a level look for a neighbour in
// the bitmap of the frontier.
//
// The first of several such levels reads the levels of all vertices. It marks in a bitmap the vertices that have no
// level and have incoming edges. The next levels visit only these. A warp loads some words of that bitmap at once
// and distributes their vertices to its lanes. So a level with few vertices left costs one pass over the words.
//
// Vertices with many incoming edges are deferred until all warps of the block are done; then the warps share them.

inline constexpr int bits_of_word = 64;

/// The words of a bitmap that a warp, or a serial block, processes: its first word, its end and its stride.
struct words_of_warp {
  std::int64_t first, end, stride;

  template <class Block> EVENLY_FN static words_of_warp among(const Block& block, std::int64_t words) {
    if constexpr (Block::is_serial) { // consecutive words, for the block's caches
      const std::int64_t per_block = ceil_div<std::int64_t>(words, block.count()),
                         first = per_block * block.index();
      return {first, smaller(first + per_block, words), 1};
    }
    return {block.index() + std::int64_t{block.count()} * warp_of(block), words,
            std::int64_t{block.count()} * block.shape().warps()};
  }
};

/// The position of the set bit of `word` that has `before` set bits below it.
EVENLY_FN inline int bit_number(std::uint64_t word, int before) {
  int at = 0;
  EVENLY_UNROLL
  for (int width = bits_of_word / 2; width > 0; width /= 2) {
    const int below = lanes_in(word >> at & first_lanes(width));
    if (below > before) continue;
    before -= below;
    at += width;
  }
  return at;
}

/// Counts of a thread: vertices found, their outgoing edges, and the incoming edges of vertices not found.
template <class Edge> struct bottom_up_counts {
  Edge of[3];
};

/// A vertex whose edges from `at` on are visited when its block has finished all other vertices.
template <class Vertex, class Edge> struct deferred_vertex {
  Vertex vertex;
  Edge at;
};
/// The deferred vertices of a block. count is 0 before the level. Overflow is dropped: the vertex is processed
/// immediately.
template <class Vertex, class Edge> struct deferred_slots {
  slot<deferred_vertex<Vertex, Edge>> list;
  slot<int> count;

  EVENLY_FN static constexpr deferred_slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<deferred_vertex<Vertex, Edge>>(2 * shape.size), layout.take<int>(1)};
  }
  EVENLY_FN int room() const { return static_cast<int>(list.count); }
};

template <class Block, class Vertex, class Edge> struct bottom_up_level {
  Block& block;
  adjacency<Vertex, Edge> in;
  const Edge* leaving; ///< offsets of the outgoing edges
  Vertex* levels;
  Vertex* parents;               ///< or null
  Vertex level;                  ///< of the vertices that are found
  const std::uint64_t* frontier; ///< bitmaps
  std::uint64_t* next;
  std::uint64_t* unvisited;
  deferred_slots<Vertex, Edge> later;

  bottom_up_counts<Edge> found = {};

  EVENLY_FN std::int64_t words() const { return ceil_div<std::int64_t>(in.vertices, bits_of_word); }

  /// Visits all vertices and makes `unvisited`. All threads of all blocks call this or visit_unvisited.
  EVENLY_FN void look_at_all() {
    constexpr int at_once = Block::is_serial ? 1 : 2; ///< words per warp
    constexpr int of_word = Block::is_serial ? 1 : 2; ///< vertices per lane in each word
    constexpr int each = at_once * of_word;
    const lanes<Block> warp = this_warp(block);
    const looking look{in.ends, in.edges, frontier};
    const words_of_warp mine = words_of_warp::among(block, words());
    for (std::int64_t word = mine.first; word < mine.end; word += at_once * mine.stride) {
      std::uint64_t mask[at_once] = {}, open[at_once] = {};
      for (int first = 0; first < bits_of_word; first += of_word * warp.size()) {
        const auto bit = [&](int k) { return first + k % of_word * warp.size() + warp.rank(); };
        const auto vertex = [&](int k) { return (word + k / of_word * mine.stride) * bits_of_word + bit(k); };
        bool lacks[each];
        EVENLY_UNROLL
        for (int k = 0; k < each; ++k)
          lacks[k] = bit(k) < bits_of_word && vertex(k) < in.vertices && levels[vertex(k)] == -1;
        Edge begin[each], end[each];
        EVENLY_UNROLL
        for (int k = 0; k < each; ++k) {
          begin[k] = end[k] = 0;
          if (!lacks[k]) continue;
          begin[k] = read_only(in.offsets + vertex(k));
          end[k] = read_only(in.offsets + vertex(k) + 1);
        }
        Vertex parent[each];
        look.first_of(warp, begin, end, parent, [&](int k, Edge at) { return defer(vertex(k), at); });
        EVENLY_UNROLL
        for (int k = 0; k < each; ++k) {
          const bool is_found = take(vertex(k), begin[k], end[k], parent[k]);
          const lane_mask these = warp.ballot(is_found), those = warp.ballot(begin[k] < end[k]);
          const int place = first + k % of_word * warp.size();
          if (place >= bits_of_word) continue;
          mask[k / of_word] |= these << place;
          open[k / of_word] |= those << place;
        }
      }
      EVENLY_UNROLL
      for (int w = 0; w < at_once; ++w) {
        const std::int64_t at = word + w * mine.stride;
        if (warp.rank() != 0 || at >= mine.end) continue;
        next[at] = mask[w];
        unvisited[at] = open[w]; // includes vertices found now: the next level sees them in the frontier
      }
    }
  }

  /// Visits the vertices that have had no level since look_at_all.
  EVENLY_FN void visit_unvisited() {
    const lanes<Block> warp = this_warp(block);
    const looking look{in.ends, in.edges, frontier};
    const std::int64_t all = words(), warps = std::int64_t{block.count()} * block.shape().warps();
    const block_shape shape = block.shape();
    const int rest = shape.size % shape.warp, narrowest = rest == 0 ? shape.warp : rest; // of all warps
    const std::int64_t each = smaller<std::int64_t>(ceil_div(all, warps), narrowest);
    const std::int64_t mine = block.index() + std::int64_t{block.count()} * warp_of(block);
    for (std::int64_t first = mine * each; first < all; first += warps * each) {
      const std::int64_t word = first + warp.rank();
      std::uint64_t open = 0;
      if (warp.rank() < each && word < all) {
        open = unvisited[word] & ~frontier[word];
        unvisited[word] = open;
        next[word] = 0;
      }
      const int count = lanes_in(open), inclusive = warp.scan(count, plus<int>{});
      const int total = warp.shuffle(inclusive, warp.size() - 1);
      warp.sync(); // the zeros are written before the bits
      for (int base = 0; base < total; base += warp.size()) {
        const int number = base + warp.rank(), owner = owner_of(warp, inclusive, number);
        const std::uint64_t bits = warp.shuffle(open, owner);
        const int before = warp.shuffle(inclusive - count, owner);
        Edge begin[1] = {0}, end[1] = {0};
        std::int64_t v = (first + owner) * bits_of_word;
        if (number < total) {
          v += bit_number(bits, number - before);
          begin[0] = read_only(in.offsets + v);
          end[0] = read_only(in.offsets + v + 1);
        }
        Vertex parent[1];
        look.first_of(warp, begin, end, parent, [&](int, Edge at) { return defer(v, at); });
        if (take(v, begin[0], end[0], parent[0])) mark(v);
      }
    }
  }

  /// Visits the deferred vertices, after the others. All threads of all blocks call this.
  EVENLY_FN void visit_deferred() {
    block.sync();
    const lanes<Block> warp = this_warp(block);
    const looking look{in.ends, in.edges, frontier};
    const int width = block.shape().warp,
              chunk = width / looking::group_of(width); // the last warp may be narrower
    const int group = looking::group_of(warp.size()), groups = warp.size() / group,
              rank = warp.rank() % group;
    const int count = block.storage(later.count)[0], all = smaller(count, later.room());
    for (int base = warp_of(block) * chunk; base < all; base += block.shape().warps() * chunk)
      for (int from = base; from < smaller(base + chunk, all); from += groups) {
        const int i = from + warp.rank() / group;
        const bool has = i < smaller(base + chunk, all);
        deferred_vertex<Vertex, Edge> one{0, 0};
        Edge end = 0;
        if (has) {
          one = block.storage(later.list)[i];
          end = read_only(in.offsets + one.vertex + 1);
        }
        const Vertex parent = look.first_of_many(warp, group, one.at, end);
        if (has && rank == 0 && take(one.vertex, read_only(in.offsets + one.vertex), end, parent))
          mark(one.vertex);
      }
  }

 private:
  using looking = neighbour_in_bits<Vertex, Edge>;

  /// Defers the edges of vertex v from `at` on. Returns false if there is no room.
  EVENLY_FN bool defer(std::int64_t v, Edge at) const {
    const int place =
        atomic_ref(block.storage(later.count)[0], scope::block{}).fetch_add(1, order::relaxed{});
    if (place >= later.room()) return false;
    block.storage(later.list)[place] = deferred_vertex<Vertex, Edge>{static_cast<Vertex>(v), at};
    return true;
  }
  /// The first lane whose inclusive sum exceeds `number`; the last lane if there is none.
  EVENLY_FN static int owner_of(const lanes<Block>& warp, int inclusive, int number) {
    int owner = 0;
    for (int step = floor_power_of_two(warp.size()); step > 0; step /= 2) {
      const int last = owner + step - 1;
      const int sum = warp.shuffle(inclusive, smaller(last, warp.size() - 1));
      if (last < warp.size() && sum <= number) owner += step;
    }
    return smaller(owner, warp.size() - 1);
  }

  EVENLY_FN void mark(std::int64_t v) const {
    atomic_ref(next[v / bits_of_word]).fetch_or(std::uint64_t{1} << (v % bits_of_word), order::relaxed{});
  }

  /// Records the result of vertex v, whose incoming edges are [begin, end). Returns whether it has a parent.
  EVENLY_FN bool take(std::int64_t v, Edge begin, Edge end, Vertex parent) {
    if (parent < 0) {
      if (parent != looking::is_deferred) found.of[2] += end - begin;
      return false;
    }
    levels[v] = level;
    if (parents != nullptr) parents[v] = parent;
    found.of[0] += 1;
    found.of[1] += in.offsets == leaving ? end - begin : read_only(leaving + v + 1) - read_only(leaving + v);
    return true;
  }
};

/// Separate functions, so that each can use all registers: the other state of a search is in memory during the call.
template <class Block, class Vertex, class Edge>
EVENLY_OUT_OF_LINE_FN bottom_up_counts<Edge> look_at_all(bottom_up_level<Block, Vertex, Edge> one) {
  one.look_at_all();
  if constexpr (!Block::is_serial) one.visit_deferred();
  return one.found;
}
template <class Block, class Vertex, class Edge>
EVENLY_OUT_OF_LINE_FN bottom_up_counts<Edge> visit_unvisited(bottom_up_level<Block, Vertex, Edge> one) {
  one.visit_unvisited();
  if constexpr (!Block::is_serial) one.visit_deferred();
  return one.found;
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// persistent_bfs: see the head of this file.

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
  std::int64_t edges_left = 0;   ///< outgoing edges of vertices that have not been on a frontier
  Vertex level = 0;              ///< of the current frontier
  enum { listed, kept, marked, in_bits } where = listed; ///< marked: in bits for the first time
  int holders = 0;                                       ///< kept: at most so many blocks have a part of it
  int bitmap = 0;
  bool is_clear = true;              ///< whether no vertex has been marked so far
  int narrow_ones = 0;               ///< in_bits: the number of consecutive narrow frontiers up to now
  std::int64_t unvisited_before = 0; ///< of the bottom-up levels so far
  std::int64_t unvisited_edges = -1; ///< in_bits: incoming edges of vertices without a level; -1: unknown

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

  /// Whether the last bottom-up level left few edges unvisited: at most `many_times` the edges of the frontier. A
  /// vertex without a level looks at all its edges in every bottom-up level, for example if it cannot be reached.
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
