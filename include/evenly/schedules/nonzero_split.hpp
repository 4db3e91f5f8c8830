// SPDX-License-Identifier: Apache-2.0
// nonzero_split<Items>: atoms are distributed evenly, and no thread searches. Tiles are scattered to the places where
// they begin, and a scan with maximum spreads them over their atoms.
//
// Source: Baxter, "Modern GPU" (2013), segmented reduction; Dalton, Olson & Bell, "Optimizing sparse matrix-matrix
// multiplication for the GPU" (TOMS 2015); merge_path without the tile ends.
//
// For N tiles, W atoms, and chunks of C = block x Items atoms that span S tiles:
//   work                O(W / C log N) to partition, O(N + W) in a run
//   parallel complexity O(log N) + O(S / block + Items + log block)
//   threads             W / C to partition, W / Items in a run
//   offsets coalesced   no to partition, yes in a run
//   atoms coalesced     yes
//   extra memory        a tile number per chunk
// Limits: storage, and four barriers per chunk. A chunk that spans very many tiles, nearly all of them empty, is
// searched in memory instead of scattered.
// Wins where merge_path does, if few tiles are empty: it cuts at atoms only, so a chunk of short tiles has more stores
// than one of long tiles.
#pragma once

#include <cstdint>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The mapping of nonzero_split.
template <tile_set Tiles, int Items> struct nonzero_split_mapping {
  using sharings = sharing::list<sharing::striped_run<Items>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;
  /// A chunk that spans more tiles than this, per place, is searched.
  static constexpr int max_tiles_per_atom = 4;

  /// Tiles of four consecutive atoms, counted from the chunk's first.
  using pack = four_tiles<int>;

  even_atoms<Tiles> distributed;
  const tile* starts;

  struct slots {
    tile_of_atoms_slots found;
    slot<pack> by_fours; ///< the same bytes as found.tile_of; the last few may have none
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const auto start = layout.mark();
    const auto by_fours = layout.take<pack>(shape.size * Items / 4);
    layout.rewind(start);
    return {tile_of_atoms_slots::lay_out(layout, shape, Items), by_fours};
  }
  EVENLY_FN int cutting_blocks(int) const { return distributed.blocks_with_atoms(); }
  template <class Search> EVENLY_FN tile start_of(std::int64_t chunk, const Search& search) const {
    return distributed.start_of(chunk, search);
  }
  EVENLY_FN sized_mapping<nonzero_split_mapping> sized(const capacity& max_size, block_shape) const {
    const auto here = distributed.sized(max_size);
    return {{here.mapping, starts}, here.blocks};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const std::int64_t chunk = block.index();
    if (chunk < distributed.chunks) {
      const tile first = counted_load(starts + chunk);
      const tile spanned = counted_load(starts + chunk + 1) - first;
      const parallel_run<Block> run{block,
                                    *this,
                                    place,
                                    distributed.begin(chunk),
                                    distributed.begin(chunk + 1),
                                    first,
                                    spanned,
                                    spanned < max_tiles_per_atom * Items * block.size()};
      static_assert(striped_atoms<parallel_run<Block>>);
      run.find_tiles();
      consumer(sharing::striped_run<Items>{}, run);
    }
    distributed.distribute_empty_tiles(block, consumer);
  }

  template <class Block> struct parallel_run {
    Block& block;
    const nonzero_split_mapping& mapping;
    const slots& place;
    atom first_atom;
    atom last_atom;
    tile first_tile;
    tile spanned;   ///< tiles after first_tile, up to that of the last atom or a later one
    bool scattered; ///< otherwise each thread searches

    EVENLY_FN const Tiles& tiles() const { return mapping.distributed.tiles; }
    EVENLY_FN int atoms() const { return static_cast<int>(last_atom - first_atom); }

    /// Synchronises the block.
    EVENLY_FN void find_tiles() const {
      if (scattered)
        find_tile_of_atoms<Items>(block, tiles(), first_tile, static_cast<int>(spanned) + 1, first_atom,
                                  atoms(), place.found);
    }

    template <class Visit> EVENLY_FN void for_each(Visit visit) const {
      const auto tile_of = block.storage(place.found.tile_of);
      tile near = first_tile;
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k >= atoms()) break;
        if (scattered)
          near = static_cast<tile>(first_tile + static_cast<int>(tile_of[k]));
        else
          near = mapping.distributed.tile_of_near(static_cast<atom>(first_atom + k), near);
        visit(k, near);
      }
    }

    template <class Several, class One> EVENLY_FN void for_each_four(Several several, One one) const {
      if (!scattered) return for_each(one);
      const auto tile_of = block.storage(place.found.tile_of);
      const auto by_fours = block.storage(place.by_fours);
      const auto numbered = [&](int t) { return static_cast<tile>(first_tile + t); };
      EVENLY_UNROLL
      for (int i = 0; i < ceil_div(Items, 4); ++i) {
        const int k = (block.rank() + i * block.size()) * 4;
        if (k >= atoms()) break;
        if (k + 4 <= atoms()) {
          const pack found = by_fours[k / 4];
          several(k, four_tiles<tile>{numbered(found.of[0]), numbered(found.of[1]), numbered(found.of[2]),
                                      numbered(found.of[3])});
        } else {
          for (int j = k; j < atoms(); ++j) one(j, numbered(tile_of[j]));
        }
      }
    }
  };
};

/// Of {7, 8, 9, 11, 12, 13, 15} items, 9 and 11 are fastest for expansion on seven of nine workloads; sums take longer
/// with 11 (H200, 2026-11-21).
template <int Items = 9> struct nonzero_split {
  static_assert(Items >= 1 && Items <= 32, "a thread must have 1 to 32 items");

  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("items_per_thread", Items);
  }

  /// On serial blocks, which find their tiles themselves, this is direct_search.
  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all, const planning& how,
               buffer<tile_type<Tiles>> starts = {}) const {
    if constexpr (Executor::serial_blocks) {
      return direct_search<>{block_size}.prepare(exec, tiles, all, how);
    } else {
      const auto distributed =
          distribute_atoms(exec, tiles, all, how, static_cast<std::int64_t>(block_size) * Items);
      return prepare_partitioned<nonzero_split_mapping<Tiles, Items>>(exec, distributed, block_size, how,
                                                                      std::move(starts));
    }
  }
  template <class Executor, tile_set Tiles>
  auto prepare_once(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    const auto distributed =
        distribute_atoms(exec, tiles, all, {}, static_cast<std::int64_t>(block_size) * Items);
    return prepare_searched<nonzero_split_mapping<Tiles, Items>>(exec, distributed, block_size);
  }
  template <class Executor, tile_set Tiles>
  auto prepare_nothing(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                       const planning& how) const {
    if constexpr (Executor::serial_blocks) {
      return direct_search<>{block_size}.prepare(exec, tiles, all, how);
    } else {
      return prepare_searching<nonzero_split_mapping<Tiles, Items>>(
          distribute_atoms(exec, tiles, all, how, static_cast<std::int64_t>(block_size) * Items), block_size);
    }
  }
};
nonzero_split() -> nonzero_split<>;

} // namespace evenly
