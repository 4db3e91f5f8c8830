// SPDX-License-Identifier: Apache-2.0
// The persistent kernel of a breadth-first search on cores: blocks of one thread run from the first level to the last.
//
// Each block has its own lists of the vertices that wait for their level (graph/detail/persistent_queues.hpp). Every
// block decides how each level is done (level_mode), from the same numbers. Top-down, the first block to reach a vertex
// without a level sets it. Bottom-up (Beamer, Asanovic, Patterson, SC 2012), each vertex without a level looks for a
// neighbour in the bitmap of the frontier. The edges that arrive are in the order of their sources, so the first match
// is the neighbour of lowest number, and the parent.
//
// Vertices reached top-down get their parents when all levels are known, by one pass over their edges that arrive.
// Lowering parents during the search would change one more word per edge to the next level. The search does so only if
// the graph has no edges that arrive, or if they are not in order.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "evenly/core/index.hpp"
#include "evenly/graph/detail/arrive_by_edge.hpp"
#include "evenly/graph/detail/persistent_queues.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/search_rule.hpp"

namespace evenly::detail {

/// The input and output of a search.
template <class Vertex, class Edge> struct cores_bfs_work {
  /// Where block 0 stopped after it ran alone.
  struct place {
    Vertex level;
    std::int64_t edges_left;
  };

  adjacency<Vertex, Edge> out, in; ///< `in` has no offsets if the search does not go bottom-up
  Vertex source;
  Vertex* levels;
  Vertex* parents; ///< or null
  graphs::search_rule rule;
  graphs::queue_lists<Vertex>* lists;
  std::uint64_t* bits; ///< three consecutive bitmaps: two frontiers, and the vertices with a level
  place* alone;
  graphs::search_totals* done;
  graphs::search_level* level_log; ///< one entry per level, or null
};

/// A search as seen by one block.
template <class Block, class Vertex, class Edge> class cores_bfs {
  static constexpr int bits_of_word = 64;
  static constexpr std::int64_t ahead = 8; ///< vertices between two steps of prefetching
  using work_type = cores_bfs_work<Vertex, Edge>;

 public:
  cores_bfs(const work_type& work, Block& block) : work_(work), block_(block), queues_(block, *work.lists) {}

  void run() {
    begin();
    while (now_.atoms > 0) {
      if (switches_to_bottom_up_ ? work_.rule.switch_to_top_down(now_, tiles_before_, work_.out.vertices)
                                 : turns_up())
        turn();
      if (switches_to_bottom_up_)
        run_bottom_up();
      else if (small_levels_ >= 1 && now_.atoms <= work_.rule.single_block_from)
        run_single_block();
      else
        run_top_down();
    }
    if (now_.tiles > 0) account(now_, graphs::level_mode::block_local);
    if (work_.parents != nullptr && !offers_)
      for_share(work_.out.vertices, [&](std::int64_t first, std::int64_t end) {
        for (std::int64_t v = first; v < end; ++v) {
          if (const std::int64_t later = v + 2 * ahead; later < end && work_.parents[later] == -1)
            ask_for_levels(work_.in, static_cast<Vertex>(later), 2);
          find_parent(static_cast<Vertex>(v));
        }
      });
    if (block_.index() == 0) {
      done_.levels = level_ + std::int64_t{now_.tiles > 0};
      done_.edges = work_.out.edges - edges_left_;
      *work_.done = done_;
    }
  }

 private:
  void begin() {
    for_share(work_.out.vertices, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t v = first; v < end; ++v) work_.levels[v] = v == work_.source ? 0 : -1;
      if (work_.parents != nullptr)
        for (std::int64_t v = first; v < end; ++v) work_.parents[v] = v == work_.source ? work_.source : -1;
    });
    edges_left_ = work_.out.edges;
    if (block_.index() == 0) find(work_.source);
    sync();
  }
  /// Calls each(begin, end) for the block's part of [0, count).
  template <class Each> void for_share(std::int64_t count, const Each& each) const {
    const std::int64_t share = ceil_div<std::int64_t>(count, block_.count());
    const std::int64_t first = smaller(share * block_.index(), count);
    each(first, smaller(first + share, count));
  }
  void sync() {
    const graphs::queue_totals all = queues_.sync(found_.tiles, found_.atoms);
    now_ = {all.counted[0], all.counted[1]};
    entries_ = all.entries;
    found_ = {};
  }
  /// Updates the counts before the edges of a frontier are visited.
  void account(const graphs::frontier_size& of, graphs::level_mode mode) {
    edges_left_ -= of.atoms;
    tiles_before_ = of.tiles;
    small_levels_ = of.atoms <= work_.rule.single_block_from ? small_levels_ + 1 : 0;
    if (block_.index() != 0) return;
    if (work_.level_log != nullptr) work_.level_log[level_] = {of.tiles, of.atoms, mode};
    done_.vertices += of.tiles;
    done_.levels_of_mode[static_cast<int>(mode)] += 1;
  }
  Edge degree(Vertex v) const { return work_.out.offsets[v + 1] - work_.out.offsets[v]; }
  void count(Edge degree) {
    found_.tiles += 1;
    found_.atoms += degree;
  }
  void find(Vertex v) {
    count(degree(v));
    queues_.put_next(v);
  }

  // --- top-down ---

  void run_top_down() {
    account(now_, graphs::level_mode::global_queue);
    queues_.visit_open(entries_, [&](const Vertex* first, std::int64_t count) {
      if (queues_.is_only())
        visit<false>(first, count);
      else
        visit<true>(first, count);
    });
    sync();
    ++level_;
  }
  /// Runs levels by block 0, until the frontier is wide or has no edges. The other blocks wait.
  void run_single_block() {
    if (block_.index() == 0) {
      account(now_, graphs::level_mode::single_block);
      queues_.run_single_block([&](const Vertex* first, std::int64_t count) { visit<false>(first, count); },
                               [&] {
                                 if (found_.atoms == 0 || found_.atoms > work_.rule.single_block_until)
                                   return false;
                                 ++level_;
                                 account(found_, graphs::level_mode::single_block);
                                 found_ = {};
                                 return true;
                               });
      ++level_;
      *work_.alone = {level_, edges_left_};
    }
    sync();
    level_ = work_.alone->level;
    edges_left_ = work_.alone->edges_left;
    tiles_before_ = 0;
    small_levels_ = 0;
  }

  template <bool Shared> void visit(const Vertex* list, std::int64_t count) {
    if (offers_)
      visit<Shared, true>(list, count);
    else
      visit<Shared, false>(list, count);
  }
  template <bool Shared, bool Offers> void visit(const Vertex* list, std::int64_t count) {
    constexpr std::int64_t room = 256;
    Vertex found[room]; // inserted together
    std::int64_t some = 0;
    Edge edges = 0;
    const auto next = static_cast<Vertex>(level_ + 1);
    const Edge* const offsets = work_.out.offsets;
    const Vertex* const ends = work_.out.ends;
    const auto put = [&] {
      queues_.put_next(found, some);
      found_.tiles += some;
      found_.atoms += edges;
      some = 0;
      edges = 0;
    };
    for (std::int64_t i = 0; i < count; ++i) {
      ask_ahead(list + i, count - i);
      const Vertex from = list[i];
      const Edge end = offsets[from + 1];
      for (Edge e = offsets[from]; e < end; ++e) {
        const Vertex to = ends[e];
        if (!(Offers ? offer<Shared>(to, from, next) : reach<Shared>(to, next))) continue;
        found[some++] = to;
        edges += degree(to);
        if (some == room) put();
      }
    }
    put();
  }
  /// Prefetches in steps, since each needs the result of the previous one: offsets, then ends of edges, then levels.
  void ask_ahead(const Vertex* list, std::int64_t count) const {
    if (4 * ahead < count) prefetch(work_.out.offsets + list[4 * ahead]);
    if (2 * ahead < count) prefetch(work_.out.ends + work_.out.offsets[list[2 * ahead]]);
    if (ahead < count) ask_for_levels(work_.out, list[ahead], 4);
  }
  /// Prefetches the levels at the other ends of a vertex's first edges.
  void ask_for_levels(const adjacency<Vertex, Edge>& edges, Vertex v, Edge max) const {
    const Edge begin = edges.offsets[v], end = smaller<Edge>(begin + max, edges.offsets[v + 1]);
    for (Edge e = begin; e < end; ++e) prefetch(work_.levels + edges.ends[e]);
  }
  template <bool Shared, class T> static T look(T& word) {
    if constexpr (Shared) return std::atomic_ref(word).load(std::memory_order_relaxed);
    return word;
  }
  /// Sets the level of `to` to `next` if it has none. Returns whether this block found it.
  template <bool Shared> bool reach(Vertex to, Vertex next) const {
    Vertex& level = work_.levels[to];
    Vertex seen = look<Shared>(level);
    if (seen != -1) return false;
    if constexpr (Shared)
      return std::atomic_ref(level).compare_exchange_strong(seen, next, std::memory_order_relaxed);
    level = next;
    return true;
  }
  /// The same; also lowers the parent of a vertex on the next level.
  template <bool Shared> bool offer(Vertex to, Vertex from, Vertex next) const {
    Vertex& level = work_.levels[to];
    const Vertex seen = look<Shared>(level);
    if (seen != -1 && seen != next) return false;
    if constexpr (Shared) { // of those that find no level, one lowers the parent from -1
      if (!lower_parent<true>(work_.parents, to, from)) return false;
      std::atomic_ref(level).store(next, std::memory_order_relaxed);
      return true;
    } else {
      if (seen == -1 || from < work_.parents[to]) work_.parents[to] = from;
      level = next;
      return seen == -1;
    }
  }

  /// Finds the parent of a vertex reached top-down, when levels are known: the first edge that arrives from the
  /// previous level.
  void find_parent(Vertex v) const {
    const Vertex before = work_.levels[v] - 1;
    if (before < 0 || work_.parents[v] != -1) return;
    Edge e = work_.in.offsets[v];
    while (work_.levels[work_.in.ends[e]] != before) ++e;
    work_.parents[v] = work_.in.ends[e];
  }

  // --- bottom-up ---

  bool turns_up() const {
    return work_.in.offsets != nullptr &&
           work_.rule.switch_to_bottom_up(now_, tiles_before_, static_cast<double>(edges_left_ - now_.atoms),
                                          work_.out.vertices);
  }
  std::int64_t words() const { return ceil_div<std::int64_t>(work_.out.vertices, bits_of_word); }
  std::uint64_t* bits(int which) const { return work_.bits + which * words(); }
  std::uint64_t* reached() const { return bits(2); }
  /// The bits of a word that belong to vertices.
  std::uint64_t all_of(std::int64_t word) const {
    const auto some = smaller<std::int64_t>(bits_of_word, work_.out.vertices - word * bits_of_word);
    return ~std::uint64_t{0} >> (bits_of_word - some);
  }
  /// Calls each(vertex, its bit) for the set bits of a word.
  template <class Each> static void for_bits(std::int64_t word, std::uint64_t set, const Each& each) {
    for (; set != 0; set &= set - 1)
      each(static_cast<Vertex>(word * bits_of_word + std::countr_zero(set)), set & (~set + 1));
  }
  /// Converts the frontier to a bitmap, or back to a list.
  void turn() {
    const graphs::frontier_size frontier = now_;
    for_share(words(), [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t word = first; word < end; ++word) {
        std::uint64_t& mask = bits(bitmap_)[word];
        if (!switches_to_bottom_up_) {
          std::uint64_t known = 0;
          mask = 0;
          for_bits(word, all_of(word), [&](Vertex v, std::uint64_t bit) {
            known |= work_.levels[v] != -1 ? bit : 0;
            mask |= work_.levels[v] == level_ ? bit : 0;
          });
          reached()[word] = known;
        } else {
          for_bits(word, mask, [&](Vertex v, std::uint64_t) { queues_.put_next(v); });
        }
      }
    });
    sync();
    now_ = frontier;
    switches_to_bottom_up_ = !switches_to_bottom_up_;
  }
  void run_bottom_up() {
    account(now_, graphs::level_mode::bottom_up);
    queues_.share_out(words(), 16, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t word = first; word < end; ++word) look_up(word);
    });
    sync();
    bitmap_ = 1 - bitmap_;
    ++level_;
  }
  /// Visits the vertices of a word that have no level.
  void look_up(std::int64_t word) {
    const std::uint64_t* const frontier = bits(bitmap_);
    std::uint64_t found = 0;
    for_bits(word, all_of(word) & ~reached()[word], [&](Vertex v, std::uint64_t bit) {
      const Edge begin = work_.in.offsets[v], end = work_.in.offsets[v + 1];
      for (Edge e = begin; e < end; ++e) {
        const Vertex from = work_.in.ends[e];
        if ((frontier[from / bits_of_word] >> (from % bits_of_word) & 1) == 0) continue;
        found |= bit;
        work_.levels[v] = static_cast<Vertex>(level_ + 1);
        if (work_.parents != nullptr) work_.parents[v] = from;
        count(work_.in.offsets == work_.out.offsets ? end - begin : degree(v));
        break;
      }
    });
    bits(1 - bitmap_)[word] = found;
    reached()[word] |= found;
  }

  const work_type& work_;
  Block& block_;
  graphs::persistent_queues<Block, Vertex> queues_;
  bool offers_ = work_.parents != nullptr && work_.in.offsets == nullptr; ///< other threads may lower parents
  graphs::frontier_size now_{};                                           ///< the current frontier
  graphs::frontier_size found_{}; ///< the part of the next frontier found by this block
  std::int64_t entries_ = 0;      ///< in lists
  std::int64_t tiles_before_ = 0; ///< vertices of the previous frontier
  int small_levels_ = 0;        ///< consecutive frontiers up to this one with few enough edges for one block
  std::int64_t edges_left_ = 0; ///< that leave vertices which have not been on a frontier
  Vertex level_ = 0;
  bool switches_to_bottom_up_ = false;
  int bitmap_ = 0;
  graphs::search_totals done_{};
};

template <class Vertex, class Edge> struct cores_bfs_kernel {
  cores_bfs_work<Vertex, Edge> work;

  template <class Block> void operator()(Block& block) const {
    cores_bfs<Block, Vertex, Edge>(work, block).run();
  }
};

} // namespace evenly::detail
