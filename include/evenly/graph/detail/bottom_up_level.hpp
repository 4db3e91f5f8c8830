// SPDX-License-Identifier: Apache-2.0
// A level of a breadth-first search bottom-up, by blocks that stay (graph/resident_bfs.hpp): vertices without a level
// look for a neighbour in the bitmap of the frontier.
//
// The first of several such levels asks all vertices for their level, and writes down in a bitmap which of them lack
// one and have edges that arrive. The next ones look at these: a warp takes some words of that bitmap at once and deals
// out their vertices to its lanes, so that what a level costs is the look at the words, where few vertices are left.
#pragma once

#include <bit>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/read_four.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/neighbour_in_bits.hpp"
#include "evenly/graph/graph_view.hpp"

namespace evenly::detail {

inline constexpr int bits_of_word = 64;

/// Of a warp, or a serial block, among those of all blocks: its first word of a bitmap, and how far it is to the next.
struct words_of_warp {
  std::int64_t first, end, stride;

  template <class Block> EVENLY_FN static words_of_warp among(const Block& block, std::int64_t words) {
    if constexpr (Block::is_serial) { // neighbours, for its caches
      const std::int64_t share = ceil_div<std::int64_t>(words, block.count()), first = share * block.index();
      return {first, smaller(first + share, words), 1};
    }
    return {block.index() + std::int64_t{block.count()} * warp_of(block), words,
            std::int64_t{block.count()} * block.shape().warps()};
  }
};

/// The bit of a word that is 1 and has `before` of these below it.
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

/// Of a thread: vertices that it found, edges that leave these, and edges that arrive at those that it did not.
template <class Edge> struct bottom_up_counts {
  Edge of[3];
};

template <class Block, class Vertex, class Edge> struct bottom_up_level {
  Block& block;
  adjacency<Vertex, Edge> out, in;
  Vertex* levels;
  Vertex* parents;               ///< or null
  Vertex level;                  ///< of whoever is found
  const std::uint64_t* frontier; ///< bitmaps
  std::uint64_t* next;
  std::uint64_t* lacking;

  bottom_up_counts<Edge> found = {};

  EVENLY_FN std::int64_t words() const { return ceil_div<std::int64_t>(in.vertices, bits_of_word); }

  /// Looks at all vertices, and makes `lacking`. All threads of all blocks call this or the other one.
  EVENLY_FN void look_at_all() {
    const lanes<Block> warp = this_warp(block);
    const looking look{in.ends, in.edges, frontier};
    const words_of_warp mine = words_of_warp::among(block, words());
    for (std::int64_t word = mine.first; word < mine.end; word += mine.stride) {
      constexpr int each =
          Block::is_serial ? 1 : 2; ///< vertices of a lane, of which it reads at the same time
      std::uint64_t mask = 0, open = 0;
      for (int first = 0; first < bits_of_word; first += each * warp.size()) {
        bool lacks[each];
        EVENLY_UNROLL
        for (int j = 0; j < each; ++j) {
          const int bit = first + j * warp.size() + warp.rank();
          const std::int64_t v = word * bits_of_word + bit;
          lacks[j] = bit < bits_of_word && v < in.vertices && levels[v] == -1;
        }
        Edge begin[each], end[each];
        typename looking::four four[each]; // of all, which are on their way at the same time
        EVENLY_UNROLL
        for (int j = 0; j < each; ++j) {
          begin[j] = end[j] = 0;
          if (!lacks[j]) continue;
          const std::int64_t v = word * bits_of_word + first + j * warp.size() + warp.rank();
          begin[j] = read_only(in.offsets + v);
          end[j] = read_only(in.offsets + v + 1);
        }
        EVENLY_UNROLL
        for (int j = 0; j < each; ++j) four[j] = look.read_first(begin[j], end[j]);
        EVENLY_UNROLL
        for (int j = 0; j < each; ++j) {
          const int bit = first + j * warp.size();
          const std::int64_t v = word * bits_of_word + bit + warp.rank();
          const bool is_found = take(v, begin[j], end[j], look.first(warp, begin[j], end[j], four[j]));
          const lane_mask these = warp.ballot(is_found), those = warp.ballot(begin[j] < end[j]);
          if (bit >= bits_of_word) continue;
          mask |= these << bit;
          open |= those << bit;
        }
      }
      if (warp.rank() != 0) continue;
      next[word] = mask;
      lacking[word] = open; // also who has been found: the next level knows them by the frontier
    }
  }

  /// Looks at those that have lacked a level since look_at_all.
  EVENLY_FN void look_at_lacking() {
    const lanes<Block> warp = this_warp(block);
    const looking look{in.ends, in.edges, frontier};
    const std::int64_t all = words(), warps = std::int64_t{block.count()} * block.shape().warps();
    const std::int64_t each = smaller<std::int64_t>(ceil_div(all, warps), warp.size());
    const std::int64_t mine = block.index() + std::int64_t{block.count()} * warp_of(block);
    for (std::int64_t first = mine * each; first < all; first += warps * each) {
      const std::int64_t word = first + warp.rank();
      std::uint64_t open = 0;
      if (warp.rank() < each && word < all) {
        open = lacking[word] & ~frontier[word];
        lacking[word] = open;
        next[word] = 0;
      }
      const int count = lanes_in(open), inclusive = warp.scan(count, plus<int>{});
      const int total = warp.shuffle(inclusive, warp.size() - 1);
      warp.sync(); // bits come after zeros
      for (int base = 0; base < total; base += warp.size()) {
        const int number = base + warp.rank(), owner = owner_of(warp, inclusive, number);
        const std::uint64_t bits = warp.shuffle(open, owner);
        const int before = warp.shuffle(inclusive - count, owner);
        Edge begin = 0, end = 0;
        int bit = 0;
        if (number < total) {
          bit = bit_number(bits, number - before);
          const std::int64_t v = (first + owner) * bits_of_word + bit;
          begin = read_only(in.offsets + v);
          end = read_only(in.offsets + v + 1);
        }
        const Vertex parent = look.first(warp, begin, end, look.read_first(begin, end));
        if (take((first + owner) * bits_of_word + bit, begin, end, parent))
          atomic_ref(next[first + owner]).fetch_or(std::uint64_t{1} << bit, order::relaxed{});
      }
    }
  }

 private:
  using looking = neighbour_in_bits<Vertex, Edge>;

  /// The first lane with more than `number` in the sums of the lanes up to it; the last one, if there is none.
  EVENLY_FN static int owner_of(const lanes<Block>& warp, int inclusive, int number) {
    int owner = 0;
    for (int step = floor_power_of_two(warp.size()); step > 0; step /= 2) {
      const int last = owner + step - 1;
      const int sum = warp.shuffle(inclusive, smaller(last, warp.size() - 1));
      if (last < warp.size() && sum <= number) owner += step;
    }
    return smaller(owner, warp.size() - 1);
  }

  /// Vertex v, at which the edges [begin, end) arrive, has looked for a parent. Returns whether there is one.
  EVENLY_FN bool take(std::int64_t v, Edge begin, Edge end, Vertex parent) {
    if (parent < 0) {
      found.of[2] += end - begin;
      return false;
    }
    levels[v] = level;
    if (parents != nullptr) parents[v] = parent;
    found.of[0] += 1;
    found.of[1] +=
        in.offsets == out.offsets ? end - begin : read_only(out.offsets + v + 1) - read_only(out.offsets + v);
    return true;
  }
};

/// Functions of their own, which have all registers: what a search keeps from level to level waits in memory.
template <class Block, class Vertex, class Edge>
EVENLY_OUT_OF_LINE_FN bottom_up_counts<Edge> look_at_all(bottom_up_level<Block, Vertex, Edge> one) {
  one.look_at_all();
  return one.found;
}
template <class Block, class Vertex, class Edge>
EVENLY_OUT_OF_LINE_FN bottom_up_counts<Edge> look_at_lacking(bottom_up_level<Block, Vertex, Edge> one) {
  one.look_at_lacking();
  return one.found;
}

} // namespace evenly::detail
