// SPDX-License-Identifier: Apache-2.0
// The kernel of a breadth-first search on cores: blocks of one thread that stay from the first level to the last.
//
// Vertices wait for their level in lists of each block (graph/detail/persistent_queues.hpp), and every block decides
// the same from the same numbers how a level is done (level_mode). Top-down: who finds a vertex without a level sets
// it. Bottom-up (Beamer, Asanovic, Patterson, SC 2012): each vertex that has no level looks for a neighbour in the
// bitmap of the frontier. As the edges that arrive are in the order of their sources, the first is the one of lowest
// number, and the parent. Other vertices get theirs when all levels are known, by one look at the edges that arrive, in
// their order: lowered on the way, parents would be one more word to change for each edge to the next level. So it is
// done where nobody made the edges that arrive, or they are in no order.
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

/// A search: what it reads and writes.
template <class Vertex, class Edge> struct cores_bfs_work {
  /// How far block 0 came alone.
  struct place {
    Vertex level;
    std::int64_t edges_left;
  };

  adjacency<Vertex, Edge> out, in; ///< `in`: without offsets where it does not go bottom-up
  Vertex source;
  Vertex* levels;
  Vertex* parents; ///< or null
  search_rule rule;
  queue_lists<Vertex>* lists;
  std::uint64_t* bits; ///< three bitmaps, one behind the other: two of frontiers, and of what has a level
  place* alone;
  search_totals* done;
  search_level* level_log; ///< of each level, or null
};

/// A search as a block has it.
template <class Block, class Vertex, class Edge> class cores_bfs {
  static constexpr int bits_of_word = 64;
  static constexpr std::int64_t ahead = 8; ///< vertices between two steps of asking for memory
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
    if (now_.tiles > 0) account(now_, level_mode::block_local);
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
    const queue_totals all = queues_.sync(found_.tiles, found_.atoms);
    now_ = {all.counted[0], all.counted[1]};
    entries_ = all.entries;
    found_ = {};
  }
  /// Before the edges of a frontier are visited.
  void account(const frontier_size& of, level_mode mode) {
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
    account(now_, level_mode::global_queue);
    queues_.visit_open(entries_, [&](const Vertex* first, std::int64_t count) {
      if (queues_.is_only())
        visit<false>(first, count);
      else
        visit<true>(first, count);
    });
    sync();
    ++level_;
  }
  /// By block 0, until the frontier is wide or has no edges. The others wait.
  void run_single_block() {
    if (block_.index() == 0) {
      account(now_, level_mode::single_block);
      queues_.run_single_block([&](const Vertex* first, std::int64_t count) { visit<false>(first, count); },
                               [&] {
                                 if (found_.atoms == 0 || found_.atoms > work_.rule.single_block_until)
                                   return false;
                                 ++level_;
                                 account(found_, level_mode::single_block);
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
    Vertex found[room]; // put all at once
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
  /// In steps, as each needs what the one before has brought: offsets, by these the ends of edges, by these levels.
  void ask_ahead(const Vertex* list, std::int64_t count) const {
    if (4 * ahead < count) prefetch(work_.out.offsets + list[4 * ahead]);
    if (2 * ahead < count) prefetch(work_.out.ends + work_.out.offsets[list[2 * ahead]]);
    if (ahead < count) ask_for_levels(work_.out, list[ahead], 4);
  }
  /// Of vertices at the other end of a vertex's first edges.
  void ask_for_levels(const adjacency<Vertex, Edge>& edges, Vertex v, Edge max) const {
    const Edge begin = edges.offsets[v], end = smaller<Edge>(begin + max, edges.offsets[v + 1]);
    for (Edge e = begin; e < end; ++e) prefetch(work_.levels + edges.ends[e]);
  }
  template <bool Shared, class T> static T look(T& word) {
    if constexpr (Shared) return std::atomic_ref(word).load(std::memory_order_relaxed);
    return word;
  }
  /// Returns whether the vertex is found, by this block.
  template <bool Shared> bool reach(Vertex to, Vertex next) const {
    Vertex& level = work_.levels[to];
    Vertex seen = look<Shared>(level);
    if (seen != -1) return false;
    if constexpr (Shared)
      return std::atomic_ref(level).compare_exchange_strong(seen, next, std::memory_order_relaxed);
    level = next;
    return true;
  }
  /// The same, and lowers the parent of what is on the next level.
  template <bool Shared> bool offer(Vertex to, Vertex from, Vertex next) const {
    Vertex& level = work_.levels[to];
    const Vertex seen = look<Shared>(level);
    if (seen != -1 && seen != next) return false;
    if constexpr (Shared) { // of those that find no level one lowers the parent from none
      if (!lower_parent<true>(work_.parents, to, from)) return false;
      std::atomic_ref(level).store(next, std::memory_order_relaxed);
      return true;
    } else {
      if (seen == -1 || from < work_.parents[to]) work_.parents[to] = from;
      level = next;
      return seen == -1;
    }
  }

  /// Of a vertex that was reached top-down, when levels are known: the first edge that arrives from the level before.
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
  /// The vertices of a word.
  std::uint64_t all_of(std::int64_t word) const {
    const auto some = smaller<std::int64_t>(bits_of_word, work_.out.vertices - word * bits_of_word);
    return ~std::uint64_t{0} >> (bits_of_word - some);
  }
  /// Calls each(vertex, its bit) for the bits of a word that are set.
  template <class Each> static void for_bits(std::int64_t word, std::uint64_t set, const Each& each) {
    for (; set != 0; set &= set - 1)
      each(static_cast<Vertex>(word * bits_of_word + std::countr_zero(set)), set & (~set + 1));
  }
  /// Makes the frontier a bitmap, or a list again.
  void turn() {
    const frontier_size frontier = now_;
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
    account(now_, level_mode::bottom_up);
    queues_.share_out(words(), 16, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t word = first; word < end; ++word) look_up(word);
    });
    sync();
    bitmap_ = 1 - bitmap_;
    ++level_;
  }
  /// The vertices of a word that have no level.
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
  persistent_queues<Block, Vertex> queues_;
  bool offers_ = work_.parents != nullptr && work_.in.offsets == nullptr; ///< parents are lowered on the way
  frontier_size now_{};                                                   ///< the frontier
  frontier_size found_{};                                                 ///< of the next one, by this block
  std::int64_t entries_ = 0;                                              ///< of lists
  std::int64_t tiles_before_ = 0;                                         ///< in the frontier before
  int small_levels_ = 0;        ///< frontiers in a row, up to that, with few enough edges for one block
  std::int64_t edges_left_ = 0; ///< that leave vertices which are on no frontier so far
  Vertex level_ = 0;
  bool switches_to_bottom_up_ = false;
  int bitmap_ = 0;
  search_totals done_{};
};

template <class Vertex, class Edge> struct cores_bfs_kernel {
  cores_bfs_work<Vertex, Edge> work;

  template <class Block> void operator()(Block& block) const {
    cores_bfs<Block, Vertex, Edge>(work, block).run();
  }
};

} // namespace evenly::detail
