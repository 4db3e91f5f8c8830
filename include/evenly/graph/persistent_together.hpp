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
// - Bottom-up: a vertex with missing searches reads those of its neighbours, until
//   it has all. The vertex already has the searches that a neighbour had before this level. So the words of the
//   neighbours suffice, and their new searches need not be known.
#pragma once

#include <bit>
#include <cstddef>
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
// Levels of up to 64 searches in bit planes: bit s of word v of plane k is bit k of the level of vertex v in search s.
// Setting a level costs one operation per bit that is 1, for any number of searches. The memory is one word per vertex
// and plane. At the end the planes are converted to numbers.

namespace evenly::detail {

template <class Vertex> struct level_planes {
  std::uint64_t* words; ///< `count` consecutive planes
  Vertex vertices;
  int count;

  /// The largest level that fits.
  EVENLY_FN std::int64_t max_level() const { return (std::int64_t{1} << count) - 1; }
  EVENLY_FN std::uint64_t* plane(int k) const { return words + std::int64_t{k} * vertices; }

  /// Clears one plane. Called by all threads of all blocks.
  template <class Block> EVENLY_FN void clear(const Block& block, int k) const {
    const std::int64_t each = ceil_div<std::int64_t>(vertices, block.count());
    const std::int64_t begin = smaller<std::int64_t>(each * block.index(), vertices);
    const std::int64_t end = smaller<std::int64_t>(begin + each, vertices);
    for (std::int64_t v = begin + block.rank(); v < end; v += block.size()) plane(k)[v] = 0;
  }
  /// Sets the level of vertex v in these searches, where it had none, if the level fits. Called by one thread.
  EVENLY_FN void set(Vertex v, std::uint64_t searches, std::int64_t level) const {
    if (level > max_level()) return;
    for (int k = 0; level >> k != 0; ++k)
      if ((level >> k & 1) != 0) plane(k)[v] |= searches;
  }
};

/// levels[v * searches + s] = the level in the first `used` planes if bit s of reached[v] is 1, otherwise -1. Called by
/// all threads of all blocks; each writes eight consecutive levels at a time.
template <class Block, class Vertex, class Level>
EVENLY_FN void write_levels(const Block& block, const level_planes<Vertex>& planes, int used,
                            const std::uint64_t* reached, int searches, Level* levels) {
  constexpr int together = 8;
  struct alignas(together * sizeof(Level) < 16 ? together * sizeof(Level) : 16) pack {
    Level values[together];
  };
  const int parts = ceil_div(searches, together); // per row
  const std::int64_t all = std::int64_t{planes.vertices} * parts;
  const bool packs =
      searches % together == 0 && reinterpret_cast<std::uintptr_t>(levels) % alignof(pack) == 0;
  const std::int64_t threads = std::int64_t{block.count()} * block.size();
  std::int64_t i = std::int64_t{block.index()} * block.size() + block.rank(), end = all, step = threads;
  if constexpr (Block::is_serial) {
    const std::int64_t each = ceil_div<std::int64_t>(all, block.count());
    i = smaller(each * block.index(), all);
    end = smaller(i + each, all);
    step = 1;
  }
  for (; i < end; i += step) {
    const std::int64_t v = parts == together ? i / together : i / parts; // the first form needs no division
    const int first = static_cast<int>(i - v * parts) * together;
    const auto has = static_cast<unsigned>(reached[v] >> first);
    pack row;
    EVENLY_UNROLL
    for (int j = 0; j < together; ++j) row.values[j] = 0;
    for (int k = 0; k < used; ++k) {
      const auto bits = static_cast<unsigned>(planes.plane(k)[v] >> first);
      EVENLY_UNROLL
      for (int j = 0; j < together; ++j)
        row.values[j] = static_cast<Level>(static_cast<unsigned>(row.values[j]) | (bits >> j & 1) << k);
    }
    EVENLY_UNROLL
    for (int j = 0; j < together; ++j)
      if ((has >> j & 1) == 0) row.values[j] = -1;
    Level* const to = levels + v * searches + first;
#if defined(__CUDA_ARCH__)
    if (packs) {
      *reinterpret_cast<pack*>(to) = row;
      continue;
    }
#endif
    const int inside = smaller(together, searches - first);
    for (int j = 0; j < together; ++j)
      if (packs || j < inside) to[j] = row.values[j];
  }
}

} // namespace evenly::detail

// --- details ---------------------------------------------------------------------------------------------------------
// A sweep over all tiles of a set, shared among persistent blocks: each tile gathers bits of its atoms until it has all
// the bits it needs. One co-resident launch may do any number of sweeps.
//
// A lane has a tile, and looks at its first atoms alone. Longer tiles are processed by a group of lanes together, one
// tile after the other, while other groups of the warp process other tiles. Giants, with more atoms than a piece, are
// listed once for the set: all warps take pieces of them, and combine their results in memory.
//
// A visit is a trivially copyable object that defines what is gathered:
//
//   std::uint64_t wanted(tile)      the bits that the tile still needs; the sweep of the tile stops when it has them
//   std::uint64_t gather(first, begin, end)
//                                   the bits of the atoms in [begin, end) among the four from `first` on, a multiple
//                                   of 4
//   finish(tile, found)             called once per tile, by one thread; found: the wanted bits that it gathered

namespace evenly::graphs {

/// The giants of a set, in any order, in memory. Sweeps by serial blocks need no lists.
template <class Tile, class Atom> struct sweep_giants {
  static constexpr int piece = 1024; ///< atoms

  struct part {
    Tile tile;
    Atom begin, end;
  };
  struct counts_type {
    std::uint32_t giants, parts;
  };

  Tile* giants = nullptr;
  part* parts = nullptr;
  counts_type* counts = nullptr;  ///< zero before list_giants
  std::uint64_t* found = nullptr; ///< one word per tile of the set; zero before and after a sweep

  /// The maximum numbers of giants and pieces among tiles of `atoms` atoms in total.
  static std::int64_t max_giants(std::int64_t atoms) { return atoms / piece; }
  static std::int64_t max_parts(std::int64_t atoms) { return 2 * max_giants(atoms); }
};

/// Lists the giants. The atoms of tile t are [offsets[t], offsets[t + 1]).
template <class Tile, class Atom> struct list_giants {
  const Atom* offsets;
  Tile tiles;
  sweep_giants<Tile, Atom> to;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    using giants = sweep_giants<Tile, Atom>;
    const std::int64_t threads = std::int64_t{block.count()} * block.size();
    for (std::int64_t t = std::int64_t{block.index()} * block.size() + block.rank(); t < tiles;
         t += threads) {
      const Atom begin = offsets[t], end = offsets[t + 1];
      if (end - begin <= giants::piece) continue;
      to.giants[atomic_ref(to.counts->giants).fetch_add(1u, order::relaxed{})] = static_cast<Tile>(t);
      const auto pieces = static_cast<std::uint32_t>(ceil_div<Atom>(end - begin, giants::piece));
      auto* part = to.parts + atomic_ref(to.counts->parts).fetch_add(pieces, order::relaxed{});
      for (Atom at = begin; at < end; at += giants::piece, ++part)
        *part = {static_cast<Tile>(t), at, static_cast<Atom>(at + smaller<Atom>(giants::piece, end - at))};
    }
  }
};

/// A sweep as seen by one thread of a block.
template <class Block, class Tile, class Atom> class persistent_sweep {
  using giants_type = sweep_giants<Tile, Atom>;

 public:
  EVENLY_FN persistent_sweep(Block& block, const Atom* offsets, Tile tiles, const giants_type& giants)
      : block_(block), warp_(this_warp(block)), offsets_(offsets), tiles_(tiles), giants_(giants) {}

  /// Sweeps all tiles. sync(): a barrier of all blocks, called if there are giants. Called by all threads of all
  /// blocks.
  template <class Visit, class Meet> EVENLY_FN void run(const Visit& visit, const Meet& sync) const {
    if constexpr (!Block::is_serial) gather_parts(visit);
    if constexpr (Block::is_serial) { // consecutive tiles, for the block's caches
      const std::int64_t each = ceil_div<std::int64_t>(tiles_, block_.count());
      const std::int64_t end = smaller<std::int64_t>(each * (block_.index() + 1), tiles_);
      for (std::int64_t t = each * block_.index(); t < end; ++t) gather_tiles(visit, t);
    } else {
      const std::int64_t full =
          block_.shape().warp; // tiles per step; the block's last warp may have fewer lanes
      const std::int64_t warps = std::int64_t{block_.count()} * block_.shape().warps();
      for (std::int64_t first = full * (block_.index() + std::int64_t{block_.count()} * warp_of(block_));
           first < tiles_; first += full * warps)
        for (int i = 0; i < full; i += warp_.size()) gather_tiles(visit, first, i);
      if (giants_.counts->giants == 0) return;
      sync();
      finish_giants(visit);
    }
  }

 private:
  static constexpr int four = 4;      ///< atoms that a lane reads together
  static constexpr int by_itself = 2; ///< groups of four of a tile that its lane looks at alone

  /// The number of lanes that look at a tile together.
  EVENLY_FN int group() const { return warp_.size() % 8 == 0 ? 8 : 1; }

  /// Processes one tile per lane, from number `skipped` on among the tiles from `first` on, which are as many as a full
  /// warp has lanes.
  template <class Visit>
  EVENLY_FN void gather_tiles(const Visit& visit, std::int64_t first, int skipped = 0) const {
    const std::int64_t t = first + skipped + warp_.rank();
    const bool is_tile = t < tiles_ && skipped + warp_.rank() < block_.shape().warp;
    const auto tile = static_cast<Tile>(t);
    const std::uint64_t wanted = is_tile ? visit.wanted(tile) : 0;
    std::uint64_t found = 0;
    Atom at = 0, end = 0;
    if (wanted != 0) {
      at = read_only(offsets_ + t);
      end = read_only(offsets_ + t + 1);
    }
    const bool is_giant = !Block::is_serial && end - at > giants_type::piece;
    if (is_giant) end = at;
    const Atom begin = at;
    at = detail::floor_of_four(at);
    for (int i = 0; at < end && (found & wanted) != wanted; ++i, at += four) {
      if (!Block::is_serial && group() > 1 && i == by_itself) break;
      found |= visit.gather(at, begin, end);
    }
    if constexpr (!Block::is_serial)
      if (group() > 1) gather_together(visit, wanted, at, end, found);
    if (is_tile && !is_giant) visit.finish(tile, found & wanted);
  }

  /// Each group of lanes processes the rest of the tiles of its lanes, one after the other.
  template <class Visit>
  EVENLY_FN void gather_together(const Visit& visit, std::uint64_t wanted, Atom at, Atom end,
                                 std::uint64_t& found) const {
    const int lanes = group(), begin = warp_.rank() / lanes * lanes, mine = warp_.rank() - begin;
    for (;;) {
      const lane_mask open = warp_.ballot(at < end && (found & wanted) != wanted);
      if (open == 0) return;
      const lane_mask of_group = open >> begin & first_lanes(lanes);
      const bool has = of_group != 0;
      const int owner = has ? begin + first_lane(of_group) : warp_.rank();
      const Atom from = warp_.shuffle(at, owner), to = warp_.shuffle(end, owner);
      std::uint64_t bits = has && four * mine < to - from ? visit.gather(from + four * mine, from, to) : 0;
      for (int d = 1; d < lanes; d *= 2) bits |= warp_.shuffle(bits, warp_.rank() ^ d);
      if (has && owner == warp_.rank()) {
        found |= bits;
        at = to - from > four * lanes ? from + four * lanes : to;
      }
    }
  }

  /// Processes pieces of giants; each warp has its own.
  template <class Visit> EVENLY_FN void gather_parts(const Visit& visit) const {
    const std::int64_t parts = giants_.counts->parts;
    const std::int64_t warps = std::int64_t{block_.count()} * block_.shape().warps();
    for (std::int64_t i = block_.index() + std::int64_t{block_.count()} * warp_of(block_); i < parts;
         i += warps) {
      const auto part = giants_.parts[i];
      std::uint64_t& all = giants_.found[part.tile];
      const std::uint64_t so_far = warp_.shuffle(atomic_ref(all).load(order::relaxed{}), 0);
      const std::uint64_t wanted = visit.wanted(part.tile) & ~so_far;
      std::uint64_t found = 0;
      bool open = wanted != 0;
      for (Atom at = detail::floor_of_four(part.begin); open && at < part.end; at += four * warp_.size()) {
        const Atom mine = at + four * warp_.rank();
        if (mine < part.end) found |= visit.gather(mine, part.begin, part.end);
        if (warp_.any((found & wanted) != 0)) { // otherwise there is nothing to combine
          found = combined(found);
          open = (found & wanted) != wanted;
        }
      }
      found = combined(found) & wanted;
      if (found != 0 && warp_.rank() == 0) atomic_ref(all).fetch_or(found, order::relaxed{});
    }
  }
  EVENLY_FN std::uint64_t combined(std::uint64_t bits) const {
    for (int d = 1; d < warp_.size(); d *= 2) { // for any number of lanes: bits may be combined twice
      const int other = warp_.rank() + d;
      bits |= warp_.shuffle(bits, other < warp_.size() ? other : other - warp_.size());
    }
    return bits;
  }

  template <class Visit> EVENLY_FN void finish_giants(const Visit& visit) const {
    const std::int64_t threads = std::int64_t{block_.count()} * block_.size(),
                       giants = giants_.counts->giants;
    for (std::int64_t i = std::int64_t{block_.index()} * block_.size() + block_.rank(); i < giants;
         i += threads) {
      const Tile tile = giants_.giants[i];
      if (visit.wanted(tile) == 0) continue; // is complete
      visit.finish(tile, atomic_ref(giants_.found[tile]).exchange(0, order::relaxed{}));
    }
  }

  Block& block_;
  lanes<Block> warp_;
  const Atom* offsets_;
  Tile tiles_;
  giants_type giants_;
};

// ---------------------------------------------------------------------------------------------------------------------
// persistent_together: see the head of this file.

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
  EVENLY_FN void prefetch_staged(Vertex at) const { prefetch(reached + at); }
  EVENLY_FN void prefetch_taking(Vertex at, std::uint64_t) const { prefetch(found + at); }
  EVENLY_FN std::uint64_t look(Vertex at) const { return reached[at]; }
  template <class Found>
  EVENLY_FN void take(Vertex from, Vertex at, std::uint64_t seen, const Found& listed) const {
    const std::uint64_t give = now[from] & ~seen;
    if (give == 0 || (give & ~atomic_ref(found[at]).load(order::relaxed{})) == 0) return;
    if (atomic_ref(found[at]).fetch_or(give, order::relaxed{}) == 0)
      listed(at, read_only(out.offsets + at), read_only(out.offsets + at + 1));
  }
};

/// The visit of a vertex bottom-up.
template <class Vertex, class Edge> struct gather_searches {
  adjacency<Vertex, Edge> out, in;
  const std::uint64_t* reached;
  std::uint64_t* other; ///< the searches that have reached each vertex after this level
  level_planes<Vertex> planes;
  std::uint64_t all; ///< all searches
  std::int64_t level;
  /// Counts of the thread: vertices found, their outgoing edges, and the incoming edges of vertices that some searches
  /// have not reached.
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
  std::int64_t edges_left =
      0; ///< an upper bound of the incoming edges of vertices that some searches have not reached
  std::int64_t level = 0; ///< of the frontier
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
    const std::int64_t per_block = ceil_div<std::int64_t>(work.out.vertices, block.count());
    const std::int64_t begin = smaller<std::int64_t>(per_block * block.index(), work.out.vertices);
    const std::int64_t end = smaller<std::int64_t>(begin + per_block, work.out.vertices);
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
