// SPDX-License-Identifier: Apache-2.0
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
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/read_four.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/memory_view.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"

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

} // namespace evenly::graphs
