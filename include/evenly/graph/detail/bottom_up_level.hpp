// SPDX-License-Identifier: Apache-2.0
// A bottom-up level of a breadth-first search by persistent blocks (graph/persistent_bfs.hpp): vertices without a level
// look for a neighbour in the bitmap of the frontier.
//
// The first of several such levels reads the levels of all vertices. It marks in a bitmap the vertices that have no
// level and have edges that arrive. The next levels visit only these. A warp loads some words of that bitmap at once
// and distributes their vertices to its lanes. So a level with few vertices left costs one pass over the words.
//
// Vertices at which many edges arrive are deferred until all warps of the block are done; then the warps share them.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/neighbour_in_bits.hpp"
#include "evenly/graph/graph_view.hpp"

namespace evenly::detail {

inline constexpr int bits_of_word = 64;

/// The words of a bitmap that a warp, or a serial block, processes: its first word, its end and its stride.
struct words_of_warp {
  std::int64_t first, end, stride;

  template <class Block> EVENLY_FN static words_of_warp among(const Block& block, std::int64_t words) {
    if constexpr (Block::is_serial) { // consecutive words, for the block's caches
      const std::int64_t share = ceil_div<std::int64_t>(words, block.count()), first = share * block.index();
      return {first, smaller(first + share, words), 1};
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

/// Counts of a thread: vertices found, edges that leave them, and edges that arrive at vertices not found.
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
  const Edge* leaving; ///< offsets of the edges that leave
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

  /// Records the result of vertex v, at which the edges [begin, end) arrive. Returns whether it has a parent.
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
