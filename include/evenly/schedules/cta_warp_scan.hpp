// SPDX-License-Identifier: Apache-2.0
// cta_warp_scan: a block has as many tiles as threads. The block takes large tiles, one after the other; groups of 32
// take medium ones; a block-wide scan distributes the atoms of all others evenly.
//
// Source: Merrill, Garland & Grimshaw, "Scalable GPU graph traversal" (PPoPP 2012). Three phases:
// 1. by the block: tiles of at least cta_threshold atoms. In the source ("strip-mined gathering") the threads with such
//    tiles race for each turn. Here they get numbers from the scan of phase 3, which is made first. A turn thus costs
//    no barrier, the order is the same in every run, and the scan's total decides whether there is a phase 1 at all.
// 2. by groups of 32: tiles of at least warp_threshold atoms, in rank order by votes and shuffles, without barriers.
// 3. scan: each thread writes its rank to storage once per atom of its tile, at the positions from the scan. The block
//    reads them back in coalesced batches, and repeats this if there are more atoms than storage holds.
//
// For N tiles and W atoms:
//   work                O(W)
//   parallel complexity O(L / block + M / warp + R / block): the maximum over blocks, where L, M and R are the atoms of
//                       its large, its medium (of one group) and its other tiles
//   threads             N
//   offsets coalesced   yes
//   atoms coalesced     yes
//   extra memory        none; nothing to prepare. Storage for 16 atoms, at 2 bytes, and an offset per thread
// Limits: barriers of the block (two, if no tile is large and the rest fits into storage); the available storage;
// groups wait for the one with most medium tiles. The work of blocks differs as the sums of consecutive sizes do.
// Wins when sizes differ much, but no tile has work for many blocks.
//
// If a group of 32 is wider than a warp, and for threads in no group, phase 3 processes the medium tiles as well.
#pragma once

#include <cstdint>
#include <string>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/schedules/detail/group_run.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// As a threshold: as many atoms as a block has threads.
inline constexpr int block_sized = 0;
/// The thresholds of the source: a tile goes to the smallest team that it gives an atom for every thread.
inline constexpr int default_cta_threshold = block_sized;
inline constexpr int default_warp_threshold = 32;
/// A count of 1024 tiles and the atoms of 1024 smaller ones then fit into 32 bits together.
inline constexpr int max_cta_threshold = 2048;

/// Block b has the tiles [b * size, (b + 1) * size), thread r the r-th of them.
template <tile_set Tiles> struct cta_warp_scan_mapping {
  static constexpr int group = 32;
  static constexpr int atoms_per_thread = 16; ///< for which storage has room
  using sharings = sharing::list<sharing::team<whole_block>, sharing::team<group>,
                                 sharing::batch<whole_block>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;

  struct slots {
    slot<std::uint16_t>
        owners; ///< phase 1: a large tile's thread; phase 3: an atom's thread, with a flag for its last atom
    slot<atom> origins;   ///< per thread: phase 3's atom k is origins[owner] + k
    slot<unsigned> warps; ///< for the scan
  };

  Tiles tiles;
  int cta_threshold;
  int warp_threshold;

  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<std::uint16_t>(shape.size * atoms_per_thread), layout.take<atom>(shape.size),
            layout.take<unsigned>(block_scan_slots(shape))};
  }

  EVENLY_FN sized_mapping<cta_warp_scan_mapping> sized(const capacity& max_size, block_shape shape) const {
    return {*this, static_cast<int>(ceil_div<std::int64_t>(sizes_within(tiles, max_size).tiles, shape.size))};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const std::int64_t skipped = static_cast<std::int64_t>(block.index()) * block.size();
    const int here = static_cast<int>(smaller<std::int64_t>(block.size(), tiles.tiles() - skipped));
    const auto first = static_cast<tile>(skipped);
    const auto t = static_cast<tile>(first + smaller(block.rank(), here - 1));
    const team_part<tile, atom> mine{block.rank() < here, t, tiles.begin(t), tiles.end(t)};
    const atom size = mine.has_tile ? mine.end - mine.begin : 0;
    if constexpr (Consumer::wants_empty_tiles)
      if (mine.has_tile && size == 0) consumer(sharing::team<1>{}, empty_tile(t, mine.begin));

    const team<group, Block> warp(block);
    const bool in_group = !warp.wide() && warp.index() < warp.count();
    const bool large = size >= cta_threshold;
    const bool middle = !large && in_group && size >= warp_threshold;
    const unsigned rest = large || middle ? 0 : static_cast<unsigned>(size);
    const auto scan =
        block_scan(block, rest + (large ? one_large : 0), plus<unsigned>{}, block.storage(place.warps));
    if (const int count = large_tiles(scan.total); count > 0)
      by_block(block, place, consumer, first, count, large ? large_tiles(scan.before) : -1);
    if (in_group) by_group(lanes_of(block, warp), consumer, mine, middle);
    if (const int atoms = rest_atoms(scan.total); atoms > 0) {
      static_assert(tile_batch<run<Block>>);
      const int start = rest_atoms(scan.before);
      block.storage(place.origins)[block.rank()] = mine.begin - start;
      consumer(sharing::batch<whole_block>{},
               run<Block>{block, place, first, atoms, start, start + static_cast<int>(rest)});
    }
  }

 private:
  // The scan adds large tiles and atoms of the rest in one number.
  static constexpr unsigned one_large = max_block_size * max_cta_threshold;
  EVENLY_FN static int large_tiles(unsigned sum) { return static_cast<int>(sum / one_large); }
  EVENLY_FN static int rest_atoms(unsigned sum) { return static_cast<int>(sum % one_large); }

  static constexpr unsigned last_atom = 0x8000; ///< flag next to an owner

  /// Phase 1, by all threads. There are `count` large tiles; `turn`: that of the caller's tile, -1 if it is not large.
  template <class Block, class Consumer>
  EVENLY_FN void by_block(Block& block, const slots& place, Consumer& consumer, tile first, int count,
                          int turn) const {
    const auto owners = block.storage(place.owners);
    if (turn >= 0) owners[turn] = static_cast<std::uint16_t>(block.rank());
    block.sync();
    for (int i = 0; i < count; ++i) {
      const std::uint16_t owner = owners[i];
      const auto t = static_cast<tile>(first + owner);
      consumer(sharing::team<whole_block>{}, team_part<tile, atom>{true, t, tiles.begin(t), tiles.end(t)});
    }
    block.sync();
  }

  /// Phase 2, by the lanes of a group. `middle`: whether the caller's tile is for the group.
  template <class Block, class Consumer>
  EVENLY_FN static void by_group(const lanes<Block>& warp, Consumer& consumer,
                                 const team_part<tile, atom>& mine, bool middle) {
    for (lane_mask left = warp.ballot(middle); left != 0; left &= left - 1) {
      const int owner = first_lane(left);
      consumer(sharing::team<group>{},
               team_part<tile, atom>{true, warp.shuffle(mine.tile, owner), warp.shuffle(mine.begin, owner),
                                     warp.shuffle(mine.end, owner)});
    }
  }

  /// Phase 3: the rest of a block's atoms, numbered from 0; the caller's tile has [start, stop).
  template <class Block> struct run {
    Block& block;
    const slots& place;
    tile first;
    int atoms;
    int start;
    int stop;

    /// Calls visit(has, tile, atom, ends): see launches.hpp.
    template <class Visit> EVENLY_FN void for_each(Visit visit) const {
      const auto owners = block.storage(place.owners);
      const auto origins = block.storage(place.origins);
      const int room = block.size() * atoms_per_thread;
      for (int from = 0; from < atoms; from += room) {
        if (from > 0) block.sync(); // the earlier contents have been read
        const int to = smaller(from + room, atoms);
        for (int k = larger(start, from); k < smaller(stop, to); ++k)
          owners[k - from] = static_cast<std::uint16_t>(static_cast<unsigned>(block.rank()) |
                                                        (k + 1 == stop ? last_atom : 0));
        block.sync();
        for (int batch = from; batch < to; batch += block.size()) {
          const bool has = block.rank() < to - batch;
          const int k = has ? batch + block.rank() : to - 1;
          const std::uint16_t owner = owners[k - from];
          const int rank = owner & (last_atom - 1);
          const atom origin = origins[rank];
          visit(has, static_cast<tile>(first + rank), static_cast<atom>(origin + k),
                has && (owner & last_atom) != 0);
        }
      }
    }
  };
};

/// The schedule. See the head of this file.
struct cta_warp_scan {
  int block_size = default_block_size;
  int cta_threshold = default_cta_threshold; ///< tiles of at least this many atoms go to the block
  int warp_threshold =
      default_warp_threshold; ///< of the others, tiles of at least this many atoms go to groups of 32

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("cta_threshold", min_of_block());
    visit("warp_threshold", warp_threshold);
  }

  /// Throws invalid_argument for thresholds out of range. On serial blocks this is thread_mapped.
  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    require(cta_threshold >= 0 && cta_threshold <= max_cta_threshold, [&] {
      return detail::concat("cta_threshold = ", cta_threshold, ": must be from 1 to ", max_cta_threshold,
                            " atoms, or 0 for the size of the block");
    });
    require(warp_threshold >= 1,
            [&] { return detail::concat("warp_threshold = ", warp_threshold, ": must be at least 1 atom"); });
    if constexpr (Executor::serial_blocks)
      return thread_mapped{block_size}.prepare(exec, tiles, all);
    else
      return prepared(launch_of<cta_warp_scan_mapping<Tiles>>{
          {tiles, min_of_block(), warp_threshold}, {block_count(max_tiles(tiles), block_size), block_size}});
  }

 private:
  int min_of_block() const { return cta_threshold == block_sized ? block_size : cta_threshold; }
};

} // namespace evenly
