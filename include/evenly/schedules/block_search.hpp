// SPDX-License-Identifier: Apache-2.0
// block_search<Offsets>: a block loads a chunk of offsets and cuts the atoms of its tiles into equal slots, one
// per thread. Each thread finds its slot by one search in storage.
//
// Source: Davidson, Baxter, Garland & Owens (IPDPS 2014), as "block search" in Busato & Bombieri (TPDS 2017).
//
// For N tiles, W atoms, and chunks of S offsets, of which the fullest has M atoms:
//   work                O(N / S block log S + W)
//   parallel complexity O(log S + M / block)
//   threads             N / S x block
//   offsets coalesced   yes
//   atoms coalesced     no: consecutive threads are a slot apart
//   extra memory        none; nothing to prepare
// Limits: non-coalesced accesses, barriers; blocks have equal numbers of tiles, not of atoms, so one full chunk keeps
// its block busy after all others have finished.
// Wins rarely; it is the step between a warp's search and the two-phase search.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/schedules/detail/offset_window.hpp"
#include "evenly/schedules/detail/shared_window.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Block b has the tiles [b * tiles_per_block, (b + 1) * tiles_per_block).
template <tile_set Tiles, int Offsets> struct block_search_mapping {
  using sharings = sharing::list<sharing::run<false>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using count = decltype(atom{} + 0); ///< the number of atoms in a chunk; not bounded
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  tile tiles_per_block;

  struct slots {
    slot<count> ends;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape) {
    return {layout.take<count>(Offsets)};
  }
  EVENLY_FN sized_mapping<block_search_mapping> sized(const capacity& max_size, block_shape) const {
    return {*this,
            static_cast<int>(ceil_div<std::int64_t>(sizes_within(tiles, max_size).tiles, tiles_per_block))};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const auto first = static_cast<tile>(block.index() * static_cast<std::int64_t>(tiles_per_block));
    const auto here = static_cast<tile>(smaller<tile>(tiles_per_block, tiles.tiles() - first));
    const auto last = static_cast<tile>(first + (here - 1));
    const atom first_atom = tiles.begin(first);
    const auto atoms = static_cast<count>(tiles.end(last) - first_atom);
    const auto ends = block.storage(place.ends);
    const offset_window<Tiles, count, std::remove_const_t<decltype(ends)>> window(tiles, first, last,
                                                                                  first_atom, atoms, ends);
    window.load(block);
    block.sync();
    if (atoms > 0)
      consumer(sharing::run<false>{}, shared_window(block, window, ceil_div<count>(atoms, block.size())));
    if constexpr (Consumer::wants_empty_tiles) {
      for (int i = block.rank(); i < here; i += block.size())
        if (window.end(i) == (i == 0 ? 0 : window.end(i - 1)))
          consumer(sharing::team<1>{},
                   empty_tile(static_cast<tile>(first + i), static_cast<atom>(first_atom + window.end(i))));
    }
  }
};

/// `Offsets`: the number of offsets in a chunk. Expansion with 64 takes less time than with 128 on seven of nine
/// workloads, although blocks have 128 threads: fewer atoms of one chunk are far apart in memory (H200, 2026-11-21).
template <int Offsets = 64> struct block_search {
  static_assert(Offsets >= 1 && Offsets <= 8192, "a chunk must have 1 to 8192 offsets");

  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("offsets_per_chunk", Offsets);
  }

  /// On serial blocks this is thread_mapped.
  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    if constexpr (Executor::serial_blocks) {
      return thread_mapped{block_size}.prepare(exec, tiles, all);
    } else {
      using mapping = block_search_mapping<Tiles, Offsets>;
      const auto per_block = static_cast<tile_type<Tiles>>(items_per_block(exec, max_tiles(tiles), Offsets));
      return prepared(
          launch_of<mapping>{{tiles, per_block}, {block_count(max_tiles(tiles), per_block), block_size}});
    }
  }
};
block_search() -> block_search<>;

} // namespace evenly
