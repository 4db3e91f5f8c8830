// SPDX-License-Identifier: Apache-2.0
// The forms of breadth-first search: by blocks of one thread (cpu), and by blocks of many threads (simt, cuda).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/graph/detail/arrive_by_edge.hpp"
#include "evenly/graph/detail/persistent_queues.hpp"
#include "evenly/graph/graph_view.hpp"
#include "evenly/graph/persistent_bfs.hpp"
#include "evenly/graph/search_rule.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/work/detail/first_fault.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// The persistent kernel of a breadth-first search on cpu: blocks of one thread run from the first level to the last.
//
// Each block has its own lists of the vertices that wait for their level (graph/detail/persistent_queues.hpp). Every
// block decides how each level is done (level_mode), from the same numbers. Top-down, the first block to reach a vertex
// without a level sets it. Bottom-up (Beamer, Asanovic, Patterson, SC 2012), each vertex without a level looks for a
// neighbour in the bitmap of the frontier. Incoming edges are in the order of their sources, so the first match is the
// neighbour of lowest number, and the parent.
//
// Top-down, a vertex gets its parent in one of three ways:
// * If one block visits the frontier in ascending order, the first vertex to reach another one is its lowest neighbour.
//   So one block sorts frontiers whose vertices have many edges: that costs little per edge.
// * Otherwise, when all levels are known, by one pass over its incoming edges. Lowering parents during the search
//   would change one more word per edge to the next level. The search does so only if the graph has no incoming edges,
//   or if they are not in order.
// * If any parent will do, the block that sets a level also sets the parent.

namespace evenly::detail {

/// How a top-down level records parents.
enum class recorded_parent { none, first, lowest };

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
  graphs::parent_rule parent_rule;
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
  static constexpr std::int64_t ahead = 8;             ///< vertices between two steps of prefetching
  static constexpr std::int64_t min_sorted_degree = 8; ///< the mean degree from which frontiers are sorted
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
    if (wants_least_parents() && work_.in.offsets != nullptr)
      for_own_range(work_.out.vertices, [&](std::int64_t first, std::int64_t end) {
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
    for_own_range(work_.out.vertices, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t v = first; v < end; ++v) work_.levels[v] = v == work_.source ? 0 : -1;
      if (work_.parents != nullptr)
        for (std::int64_t v = first; v < end; ++v) work_.parents[v] = v == work_.source ? work_.source : -1;
    });
    edges_left_ = work_.out.edges;
    if (block_.index() == 0) find(work_.source);
    sync();
  }
  /// Calls each(begin, end) for the block's part of [0, count).
  template <class Each> void for_own_range(std::int64_t count, const Each& each) const {
    const std::int64_t per_block = ceil_div<std::int64_t>(count, block_.count());
    const std::int64_t first = smaller(per_block * block_.index(), count);
    each(first, smaller(first + per_block, count));
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

  bool wants_least_parents() const {
    return work_.parents != nullptr && work_.parent_rule == graphs::parent_rule::least;
  }
  template <bool Shared> recorded_parent recorded() const {
    if (work_.parents == nullptr) return recorded_parent::none;
    if (!wants_least_parents() || (!Shared && in_order_)) return recorded_parent::first;
    return work_.in.offsets == nullptr ? recorded_parent::lowest : recorded_parent::none;
  }
  /// Sorts the vertices that this block found for the next level, if they have many edges. Returns whether they are in
  /// ascending order.
  bool sort_next() {
    const std::span<Vertex> list = queues_.next();
    if (list.size() <= 1) return true;
    if (!wants_least_parents() || found_.atoms < min_sorted_degree * found_.tiles) return false;
    if (static_cast<std::int64_t>(list.size()) < words()) {
      std::sort(list.begin(), list.end());
      return true;
    }
    std::uint64_t* const set = bits(0); // free on top-down levels
    std::fill_n(set, words(), std::uint64_t{0});
    for (const Vertex v : list) set[v / bits_of_word] |= std::uint64_t{1} << (v % bits_of_word);
    auto next = list.begin();
    for (std::int64_t word = 0; word < words(); ++word)
      for_bits(word, set[word], [&](Vertex v, std::uint64_t) { *next++ = v; });
    return true;
  }
  void run_top_down() {
    account(now_, graphs::level_mode::global_queue);
    queues_.visit_open(entries_, [&](const Vertex* first, std::int64_t count) {
      if (queues_.is_only())
        visit<false>(first, count);
      else
        visit<true>(first, count);
    });
    in_order_ = queues_.is_only() && sort_next();
    sync();
    ++level_;
  }
  /// Runs levels by block 0, until the frontier is wide or has no edges. The other blocks wait.
  void run_single_block() {
    if (block_.index() == 0) {
      account(now_, graphs::level_mode::single_block);
      queues_.run_single_block([&](const Vertex* first, std::int64_t count) { visit<false>(first, count); },
                               [&] {
                                 in_order_ = sort_next();
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
    const recorded_parent how = recorded<Shared>();
    if (how == recorded_parent::lowest)
      visit<Shared, recorded_parent::lowest>(list, count);
    else if (how == recorded_parent::first)
      visit<Shared, recorded_parent::first>(list, count);
    else
      visit<Shared, recorded_parent::none>(list, count);
  }
  template <bool Shared, recorded_parent Recorded> void visit(const Vertex* list, std::int64_t count) {
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
        if constexpr (Recorded == recorded_parent::lowest) {
          if (!offer<Shared>(to, from, next)) continue;
        } else {
          if (!reach<Shared>(to, next)) continue;
          if constexpr (Recorded == recorded_parent::first) work_.parents[to] = from;
        }
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

  /// Finds the parent of a vertex reached top-down, when levels are known: the first incoming edge from the
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
    for_own_range(words(), [&](std::int64_t first, std::int64_t end) {
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
    in_order_ = true; // used if the frontier is a list
  }
  void run_bottom_up() {
    account(now_, graphs::level_mode::bottom_up);
    queues_.distribute(words(), 16, [&](std::int64_t first, std::int64_t end) {
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
  graphs::frontier_size now_{};   ///< the current frontier
  graphs::frontier_size found_{}; ///< the part of the next frontier found by this block
  std::int64_t entries_ = 0;      ///< in lists
  std::int64_t tiles_before_ = 0; ///< vertices of the previous frontier
  int small_levels_ = 0;        ///< consecutive frontiers up to this one with few enough edges for one block
  std::int64_t edges_left_ = 0; ///< that leave vertices which have not been on a frontier
  Vertex level_ = 0;
  bool switches_to_bottom_up_ = false;
  bool in_order_ = true; ///< whether the listed frontier ascends; valid in a block that visits all of it
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

// ---------------------------------------------------------------------------------------------------------------------
// The two forms of a persistent breadth-first search: by blocks of many threads (persistent_bfs.hpp), and on cpu. Each
// owns its memory and launches the kernel. Their caller checks the arguments.

namespace evenly::graphs {

/// The launch of a search. 0: as many blocks as are resident, of a tuned size. On cuda blocks have 256 or 512 threads.
struct search_shape {
  int blocks = 0;
  int block_size = 0;
};

} // namespace evenly::graphs

namespace evenly::detail {

/// Finds edges that end at a lower vertex than the previous edge of the same vertex.
template <class Vertex, class Edge> struct check_order_of_ends {
  struct report {
    std::int64_t at;
  };

  adjacency<Vertex, Edge> edges;

  EVENLY_FN std::int64_t count() const { return edges.edges; }
  EVENLY_FN bool bad(std::int64_t e) const {
    if (e == 0 || edges.ends[e] >= edges.ends[e - 1]) return false;
    const Vertex next =
        first_past(Vertex{0}, edges.vertices, [&](Vertex v) { return edges.offsets[v] >= e; });
    return edges.offsets[next] != e;
  }
  EVENLY_FN report report_of(std::int64_t at) const { return {at}; }
};

/// Descents: edges that end at a lower vertex than the edge before them, of the same vertex or another.
template <class Vertex> struct is_descent {
  const Vertex* ends;
  EVENLY_FN int at(std::int64_t e) const { return ends[e] < ends[e - 1]; }
  EVENLY_FN int operator()(std::int64_t i) const { return at(i + 1); }
};
/// Whether the first edge of a vertex is a descent.
template <class Vertex, class Edge> struct is_descent_of_vertex {
  adjacency<Vertex, Edge> edges;
  EVENLY_FN int operator()(std::int64_t v) const {
    const Edge first = edges.offsets[v];
    if (first == 0 || first == edges.offsets[v + 1]) return 0;
    return is_descent<Vertex>{edges.ends}.at(first);
  }
};
/// Whether the edges of each vertex are in the order of their ends. Allocates and waits.
template <class Executor, class Vertex, class Edge>
bool ends_in_order(const Executor& exec, const adjacency<Vertex, Edge>& edges) {
  if (edges.edges == 0) return true;
  if constexpr (Executor::serial_blocks) { // a thread takes long to find the vertices of all descents
    const auto sum = plus<std::int64_t>{};
    return reduce(exec, generated{is_descent<Vertex>{edges.ends}}, std::int64_t{edges.edges} - 1, sum) ==
           reduce(exec, generated{is_descent_of_vertex<Vertex, Edge>{edges}}, std::int64_t{edges.vertices},
                  sum);
  } else {
    return first_fault(exec, check_order_of_ends<Vertex, Edge>{edges}, edges.edges).at == no_fault;
  }
}

/// The number of pairs of an incoming and an outgoing edge of a vertex.
template <class Edge> struct ways_through {
  const Edge *in, *out;
  EVENLY_FN double operator()(std::int64_t v) const {
    return static_cast<double>(in[v + 1] - in[v]) * static_cast<double>(out[v + 1] - out[v]);
  }
};

/// Throws invalid_argument unless there is one value per vertex.
template <class Vertex, class Edge, class T>
void require_for_vertices(const char* name, std::span<T> values, const adjacency<Vertex, Edge>& edges) {
  require(values.size() == static_cast<std::size_t>(edges.vertices), [&] {
    return std::string(name) + " has " + std::to_string(values.size()) + " elements, but the graph has " +
           std::to_string(edges.vertices) + " vertices";
  });
}

/// The bits of the edge count in a word that also counts vertices. Blocks request some thousand edges beyond the last
/// one before they know that there are none. So these numbers must fit too.
template <class Vertex, class Edge> int bits_of_atoms(const adjacency<Vertex, Edge>& out) {
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(out.edges)));
  require(bits + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(out.vertices))) <= 64, [&] {
    return std::to_string(out.vertices) + " vertices and " + std::to_string(out.edges) +
           " edges: their sum must fit into 64 bits";
  });
  constexpr auto max = std::numeric_limits<Edge>::max() - 4096;
  require(out.edges <= max, [&] {
    return std::to_string(out.edges) + " edges: a search needs 64-bit edge numbers from " +
           std::to_string(max + 1) + " on";
  });
  return bits;
}

/// The maximum number of blocks of one thread; with more, blocks have too little work between barriers. per_block:
/// vertices and edges of a block.
template <class Vertex, class Edge>
int max_serial_blocks(const adjacency<Vertex, Edge>& out, std::int64_t per_block = 1 << 15) {
  return static_cast<int>(
      smaller<std::int64_t>(max_block_size, 1 + (std::int64_t{out.vertices} + out.edges) / per_block));
}

template <class Executor, class Vertex, class Edge> class bfs_in_blocks {
  using work_type = graphs::persistent_bfs_work<Vertex, Edge>;
  template <int Size> using kernel_of = graphs::persistent_bfs_kernel<Vertex, Edge, Size>;
  using lists_type = graphs::persistent_lists<Vertex, Edge>;

 public:
  /// in: without offsets if searches do not go bottom-up. level_log: one entry per level, or null.
  template <class View>
  bfs_in_blocks(const Executor& exec, const View& graph, const adjacency<Vertex, Edge>& in,
                const graphs::search_rule& rule, graphs::search_level* level_log, graphs::search_totals* done,
                const graphs::search_shape& shape)
      : exec_(exec), atom_bits_(bits_of_atoms(graph.out)),
        lists_(make_buffer<graphs::listed_tile<Vertex, Edge>>(exec, 2 * vertices_of(graph))),
        bits_(make_buffer<std::uint64_t>(exec, 3 * words_of(graph))),
        ends_(make_buffer<std::byte>(exec, lists_type::bytes_of_ends)), alone_(make_buffer<place>(exec, 1)) {
    work_.out = graph.out;
    work_.in = in;
    work_.rule = rule;
    work_.memory = {{lists_.data(), lists_.data() + vertices_of(graph), ends_.data(), atom_bits_},
                    {},
                    bits_.data(),
                    alone_.data(),
                    done};
    work_.level_log = level_log;
    choose(shape);
    const bool few = mean_degree() < few_edges;
    work_.single_block_after = few ? 1 : 8;
    work_.growth = few ? 2 : edges_onwards(graph);
    const int max = graphs::persistent_frontier_slots<Vertex, Edge, Vertex>::max_kept(storage_shape());
    work_.kept_edges_per_block = max / (2 * work_.growth); // / 2, as blocks differ
    work_.twice_a_block = 2.0f / static_cast<float>(shape_.blocks);
    work_.steady = graph.out.vertices / graphs::search_rule::min_fraction;
  }

  /// The parents are the lowest, whatever the rule.
  void run(Vertex source, Vertex* levels, Vertex* parents, graphs::parent_rule) {
    work_type work = work_;
    work.source = source;
    work.levels = levels;
    work.parents = parents;
    workspace::lease lease(memory_);
    work.memory.totals = {lease.take(exec_, totals_memory::bytes).kept.data()};
    with_kernel(work, [&](const auto& kernel) {
      launch(exec_, {.blocks = shape_.blocks, .block_size = shape_.block_size, .co_resident = true}, kernel);
    });
  }
  std::size_t bytes() const {
    return lists_.size() * sizeof(graphs::listed_tile<Vertex, Edge>) + bits_.size() * sizeof(std::uint64_t) +
           ends_.size() + sizeof(place) + totals_memory::bytes;
  }

 private:
  using place = typename graphs::persistent_bfs_memory<Vertex, Edge>::place;
  /// Threads per block. Narrow frontiers are faster with few, since barriers are faster; wide ones with many, which
  /// have more loads in flight.
  static constexpr int small_block = 256, large_block = 512;
  /// Graphs with fewer edges per vertex have many narrow frontiers.
  static constexpr int few_edges = 6;

  std::int64_t mean_degree() const {
    return ceil_div<std::int64_t>(work_.out.edges, larger<std::int64_t>(work_.out.vertices, 1));
  }
  /// The mean over all edges of the number of outgoing edges of the edge's end.
  template <class View> int edges_onwards(const View& graph) const {
    double mean = static_cast<double>(mean_degree());
    if (graph.has_in_edges())
      mean = reduce(exec_, generated{ways_through<Edge>{graph.in.offsets, graph.out.offsets}},
                    std::int64_t{graph.out.vertices}, plus<double>{}) /
             static_cast<double>(graph.out.edges);
    return static_cast<int>(smaller(larger(mean, 1.0), 65536.0));
  }
  block_shape storage_shape() const { return exec_.shape_of(shape_.block_size); }
  template <class View> static std::size_t vertices_of(const View& graph) {
    return static_cast<std::size_t>(graph.out.vertices);
  }
  template <class View> static std::size_t words_of(const View& graph) {
    return ceil_div<std::size_t>(vertices_of(graph), 64);
  }
  void choose(const graphs::search_shape& wanted) {
    shape_ = wanted;
    if (shape_.block_size == 0) shape_.block_size = mean_degree() < few_edges ? small_block : large_block;
    if (shape_.blocks > 0) return;
    int room = 0;
    with_kernel(work_, [&](const auto& kernel) { room = resident_blocks(exec_, kernel, shape_.block_size); });
    shape_.blocks = smaller(room, grid_totals<any_kernel>::max_blocks);
  }
  /// Calls with the kernel of the block size; on a GPU there are kernels of two sizes.
  template <class Do> void with_kernel(const work_type& work, const Do& call) const {
    if constexpr (!Executor::on_host)
      if (shape_.block_size == small_block) return call(kernel_of<small_block>{work});
    call(kernel_of<large_block>{work});
  }

  Executor exec_;
  int atom_bits_;
  buffer<graphs::listed_tile<Vertex, Edge>> lists_;
  buffer<std::uint64_t> bits_;
  buffer<std::byte> ends_;
  buffer<place> alone_;
  work_type work_{};
  graphs::search_shape shape_;
  workspace memory_;
};

/// The form for cpu, with the interface of bfs_in_blocks.
template <class Executor, class Vertex, class Edge> class bfs_on_cores {
  using work_type = cores_bfs_work<Vertex, Edge>;

 public:
  template <class View>
  bfs_on_cores(const Executor& exec, const View& graph, const adjacency<Vertex, Edge>& in,
               const graphs::search_rule& rule, graphs::search_level* level_log, graphs::search_totals* done,
               const graphs::search_shape& shape)
      : exec_(exec),
        blocks_(shape.blocks > 0 ? shape.blocks : smaller(exec.threads(), max_serial_blocks(graph.out))),
        lists_(exec.resource()),
        bits_(make_buffer<std::uint64_t>(
            exec, 3 * ceil_div<std::size_t>(static_cast<std::size_t>(graph.out.vertices), 64))) {
    bits_of_atoms(graph.out);
    work_.out = graph.out;
    work_.in = in;
    work_.rule = rule;
    work_.bits = bits_.data();
    work_.done = done;
    work_.level_log = level_log;
  }

  void run(Vertex source, Vertex* levels, Vertex* parents, graphs::parent_rule parent_rule) {
    work_type work = work_;
    typename work_type::place alone{};
    work.source = source;
    work.levels = levels;
    work.parents = parents;
    work.parent_rule = parent_rule;
    work.lists = &lists_;
    work.alone = &alone;
    lists_.begin(blocks_, 2);
    launch(exec_, {.blocks = blocks_, .block_size = 1, .co_resident = blocks_ > 1},
           cores_bfs_kernel<Vertex, Edge>{work});
  }
  std::size_t bytes() const { return bits_.size() * sizeof(std::uint64_t) + lists_.bytes(); }

 private:
  Executor exec_;
  int blocks_;
  graphs::queue_lists<Vertex> lists_;
  buffer<std::uint64_t> bits_;
  work_type work_{};
};

template <class Executor, class Vertex, class Edge>
using bfs_form = std::conditional_t<Executor::serial_blocks, bfs_on_cores<Executor, Vertex, Edge>,
                                    bfs_in_blocks<Executor, Vertex, Edge>>;

} // namespace evenly::detail
