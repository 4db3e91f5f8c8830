// SPDX-License-Identifier: Apache-2.0
// Techniques as their papers describe them, where the schedules of the library are improved: the statements of Busato &
// Bombieri (TPDS 2017) about a technique are about these. They visit atoms, and serve for_each_atom only.
//   paper_direct_search   one atom per thread, and the textbook binary search, with two loads per step (section 2.4.1)
//   paper_cta_warp_scan   strip-mined gathering (section 2.3.2): the threads with large tiles race for the block or the
//                         warp, until none is left
//   paper_block_search    block_search with all of the 48 KiB of shared memory that a block has by default
//   ablated_multi_phase   multi_phase without one of its optimizations (section 3.3)
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/schedules/block_search.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/cta_warp_scan.hpp"
#include "evenly/schedules/detail/offset_window.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/multi_phase.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::study {

// --- direct search

template <tile_set Tiles> struct paper_direct_mapping {
  using sharings = sharing::list<sharing::striped_run<1>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  struct slots {};
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  extent<Tiles> all;

  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }
  EVENLY_FN int cutting_blocks(int blocks) const { return blocks; }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    const std::int64_t first = static_cast<std::int64_t>(block.index()) * block.size();
    const std::int64_t last = smaller<std::int64_t>(first + block.size(), all.atoms);
    const run<Block> here{block, tiles, static_cast<atom>(all.first_atom + first),
                          static_cast<atom>(all.first_atom + last)};
    consumer(sharing::striped_run<1>{}, here);
  }

  template <class Block> struct run {
    Block& block;
    const Tiles& of;
    atom first_atom;
    atom last_atom;

    EVENLY_FN const Tiles& tiles() const { return of; }
    template <class Visit> EVENLY_FN void for_each(Visit visit) const {
      if (block.rank() < static_cast<int>(last_atom - first_atom))
        visit(block.rank(), tile_of(static_cast<atom>(first_atom + block.rank())));
    }

    /// Each step checks both bounds of a tile, and stops at the right one.
    EVENLY_FN tile tile_of(atom a) const {
      tile left = 0, right = static_cast<tile>(of.tiles() - 1);
      while (true) {
        const tile middle = static_cast<tile>(left + (right - left) / 2);
        if (of.begin(middle) > a)
          right = static_cast<tile>(middle - 1);
        else if (of.end(middle) <= a)
          left = static_cast<tile>(middle + 1);
        else
          return middle;
      }
    }
  };
};

struct paper_direct_search {
  int block_size = default_block_size;

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor&, const Tiles& tiles, const extent<Tiles>& all) const {
    return prepared(launch_of<paper_direct_mapping<Tiles>>{
        {tiles, all}, {block_count(all.atoms, static_cast<std::int64_t>(block_size)), block_size}});
  }
};

struct paper_block_search {
  static constexpr int offsets = 12288;

  int block_size = default_block_size;

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>&) const {
    const auto per_block = static_cast<tile_type<Tiles>>(items_per_block(exec, max_tiles(tiles), offsets));
    return prepared(launch_of<block_search_mapping<Tiles, offsets>>{
        {tiles, per_block}, {block_count(max_tiles(tiles), per_block), block_size}});
  }
};

// --- CTA+warp+scan

template <tile_set Tiles> struct paper_cta_mapping {
  static constexpr int group = 32;
  static constexpr int atoms_per_thread = 16; ///< for which shared memory has room
  using sharings = sharing::list<sharing::team<whole_block>, sharing::team<group>,
                                 sharing::batch<whole_block>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  int cta_threshold;
  int warp_threshold;

  struct slots {
    slot<int> winners; ///< two words of the block, which take turns, followed by two of each warp
    slot<atom> bounds; ///< of the winner's tile, likewise
    slot<unsigned> sums;
    slot<int> owners;   ///< of the atoms of the scan: ranks
    slot<atom> origins; ///< by rank: atom k of the scan is origins[rank] + k
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const int groups = 1 + shape.warps();
    return {layout.take<int>(2 * groups), layout.take<atom>(2 * groups),
            layout.take<unsigned>(block_scan_slots(shape)), layout.take<int>(shape.size * atoms_per_thread),
            layout.take<atom>(shape.size)};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const std::int64_t skipped = static_cast<std::int64_t>(block.index()) * block.size();
    const int here = static_cast<int>(smaller<std::int64_t>(block.size(), tiles.tiles() - skipped));
    const auto first = static_cast<tile>(skipped);
    const auto t = static_cast<tile>(first + smaller(block.rank(), here - 1));
    const team_part<tile, atom> mine{block.rank() < here, t, tiles.begin(t), tiles.end(t)};
    const atom size = mine.has_tile ? mine.end - mine.begin : 0;

    const lanes<Block> warp = this_warp(block);
    const bool whole_warp = warp.size() == group;
    const bool large = size > cta_threshold;
    const bool middle = !large && whole_warp && size > warp_threshold;
    const auto winners = block.storage(place.winners);
    const int number = 1 + warp_of(block);
    if (block.rank() == 0) winners[0] = none;
    if (warp.rank() == 0) winners[2 * number] = none;
    block.sync();
    gather(block, place, consumer, first, mine, large, sharing::team<whole_block>{}, 0, block.rank(),
           [&] { block.sync(); });
    if (whole_warp)
      gather(block, place, consumer, first, mine, middle, sharing::team<group>{}, number, warp.rank(),
             [&] { warp.sync(); });

    const auto rest = static_cast<unsigned>(large || middle ? 0 : size);
    const auto scan = block_scan(block, rest, plus<unsigned>{}, block.storage(place.sums));
    if (scan.total == 0) return;
    block.storage(place.origins)[block.rank()] = mine.begin - static_cast<atom>(scan.before);
    consumer(sharing::batch<whole_block>{},
             run<Block>{block, place, first, static_cast<int>(scan.total), static_cast<int>(scan.before),
                        static_cast<int>(scan.before + rest)});
  }

 private:
  static constexpr int none = -1;

  /// While a thread of the group has a tile: all such threads write their rank, one of them wins, and all process its
  /// tile. `sync` is the barrier of the group.
  template <class Block, class Consumer, class Form, class Sync>
  EVENLY_FN void gather(Block& block, const slots& place, Consumer& consumer, tile first,
                        const team_part<tile, atom>& mine, bool waits, Form form, int group, int rank,
                        const Sync& sync) const {
    const auto winners = block.storage(place.winners);
    const auto bounds = block.storage(place.bounds);
    for (int turn = 0;; turn = 1 - turn) {
      if (waits) atomic_ref(winners[2 * group + turn], scope::block{}).store(rank, order::relaxed{});
      sync();
      const int winner = winners[2 * group + turn];
      if (winner == none) return;
      if (winner == rank) {
        winners[2 * group + 1 - turn] = none;
        bounds[2 * group] = mine.begin;
        bounds[2 * group + 1] = mine.end;
        waits = false;
      }
      sync();
      const auto t = static_cast<tile>(first + (block.rank() - rank) + winner);
      consumer(form, team_part<tile, atom>{true, t, bounds[2 * group], bounds[2 * group + 1]});
    }
  }

  /// The atoms of the scan, numbered from 0; the caller's tile has [start, stop). If there are more than shared memory
  /// has room for, it is used again.
  template <class Block> struct run {
    Block& block;
    const slots& place;
    tile first;
    int atoms;
    int start;
    int stop;

    template <class Visit> EVENLY_FN void for_each(Visit visit) const {
      const auto owners = block.storage(place.owners);
      const auto origins = block.storage(place.origins);
      const int room = block.size() * atoms_per_thread;
      for (int from = 0; from < atoms; from += room) {
        block.sync();
        const int to = smaller(from + room, atoms);
        for (int k = larger(start, from); k < smaller(stop, to); ++k) owners[k - from] = block.rank();
        block.sync();
        for (int batch = from; batch < to; batch += block.size()) {
          const int k = batch + block.rank();
          const int rank = k < to ? static_cast<int>(owners[k - from]) : 0;
          visit(k < to, static_cast<tile>(first + rank), static_cast<atom>(origins[rank] + k), false);
        }
      }
    }
  };
};

struct paper_cta_warp_scan {
  int block_size = default_block_size;

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor&, const Tiles& tiles, const extent<Tiles>&) const {
    return prepared(
        launch_of<paper_cta_mapping<Tiles>>{{tiles, block_size, default_warp_threshold},
                                            {block_count(max_tiles(tiles), block_size), block_size}});
  }
};

// --- multi-phase mapping without one of its optimizations

enum class optimization { all, unrolling, prefetching, vectors, warp_barriers };

template <tile_set Tiles, int Items, optimization Omitted> struct ablated_mapping {
  using sharings = sharing::list<sharing::striped_run<Items>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;
  static constexpr int pack_size = Omitted == optimization::vectors ? 1 : 4;
  static_assert(Items % 4 == 0);
  struct alignas(pack_size * sizeof(int)) pack {
    int tile[pack_size];
  };
  struct slots {
    slot<int> ends;
    slot<pack> written;
    slot<int> tiles;
  };

  even_atoms<Tiles> distributed;
  const tile* starts;
  int items = Items; ///< not a constant for the compiler

  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const auto start = layout.mark();
    const auto ends = layout.take<int>(smaller(shape.size * Items + 1, max_stored_offsets));
    layout.rewind(start);
    const auto written = layout.take<pack>(shape.size * (Items / pack_size));
    layout.rewind(start);
    const auto tiles = layout.take<int>(shape.size * Items);
    layout.skip_to_max();
    return {ends, written, tiles};
  }
  EVENLY_FN int cutting_blocks(int) const { return distributed.blocks_with_atoms(); }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const std::int64_t chunk = block.index();
    if (chunk >= distributed.chunks) return;
    const atom first_atom = distributed.begin(chunk), last_atom = distributed.begin(chunk + 1);
    const auto ends = block.storage(place.ends);
    const tile first_tile = counted_load(starts + chunk), last_tile = counted_load(starts + chunk + 1);
    const int atoms = static_cast<int>(last_atom - first_atom);
    const offset_window<Tiles, int, std::remove_const_t<decltype(ends)>> window(
        distributed.tiles, first_tile, last_tile, first_atom, atoms, ends);
    if (Omitted != optimization::prefetching)
      window.load(block);
    else if (window.count() <= ends.size())
      for (int i = block.rank(); i < static_cast<int>(window.count()); i += block.size())
        ends[i] = smaller(
            static_cast<int>(distributed.tiles.end(static_cast<tile>(first_tile + i)) - first_atom), atoms);
    block.sync();
    run<Block> here{block, place, distributed.tiles, first_tile, first_atom, last_atom, items, {}};
    if (const int first = block.rank() * Items; first < atoms) {
      auto at = window.at(first);
      here.each_item([&](int i) {
        window.advance(at, smaller(first + i, atoms - 1));
        here.tile_of[i] = static_cast<int>(at.tile);
      });
    }
    block.sync();
    consumer(sharing::striped_run<Items>{}, here);
  }

  template <class Block> struct run {
    Block& block;
    const slots& place;
    const Tiles& of;
    tile first_tile;
    atom first_atom;
    atom last_atom;
    int items;
    int tile_of[Items];

    EVENLY_FN const Tiles& tiles() const { return of; }

    template <class Each> EVENLY_FN void each_item(const Each& each) const {
      if constexpr (Omitted == optimization::unrolling) {
        for (int i = 0; i < items; ++i) each(i);
      } else {
        EVENLY_UNROLL
        for (int i = 0; i < Items; ++i) each(i);
      }
    }

    template <class Visit> EVENLY_FN void for_each(Visit visit) const {
      const auto written = block.storage(place.written);
      const auto tiles_in_order = block.storage(place.tiles);
      const lanes<Block> warp = this_warp(block);
      if constexpr (pack_size == 1) {
        each_item([&](int i) { written[block.rank() * Items + i] = pack{{tile_of[i]}}; });
      } else {
        EVENLY_UNROLL
        for (int i = 0; i < Items / pack_size; ++i) {
          pack several;
          EVENLY_UNROLL
          for (int j = 0; j < pack_size; ++j) several.tile[j] = tile_of[i * pack_size + j];
          written[block.rank() * (Items / pack_size) + i] = several;
        }
      }
      const bool by_block = Omitted == optimization::warp_barriers;
      if (by_block)
        block.sync();
      else
        warp.sync();
      const int begin = by_block ? 0 : (block.rank() - warp.rank()) * Items;
      const int stride = by_block ? block.size() : warp.size();
      const int rank = by_block ? block.rank() : warp.rank();
      each_item([&](int i) {
        const int k = begin + i * stride + rank;
        if (k < static_cast<int>(last_atom - first_atom))
          visit(k, static_cast<tile>(first_tile + tiles_in_order[k]));
      });
    }
  };
};

/// Only for tiles and atoms numbered by int.
template <optimization Omitted, int Items = 12> struct ablated_multi_phase {
  int block_size = default_block_size;

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
               const planning& how) const {
    return prepare_partitioned<ablated_mapping<Tiles, Items, Omitted>>(
        exec, distribute_atoms(exec, tiles, all, how, static_cast<std::int64_t>(block_size) * Items),
        block_size, how, {});
  }
};

} // namespace evenly::study
