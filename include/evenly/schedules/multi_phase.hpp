// SPDX-License-Identifier: Apache-2.0
// multi_phase<Items, Searches>: atoms are distributed evenly in chunks. Threads find tiles in storage and write them to
// registers; the tiles are then reordered through storage, so that atoms are visited in coalesced order.
//
// Source: Busato & Bombieri, "A dynamic approach for workload partitioning on GPU architectures" (TPDS 2017), section
// 3. Phases:
//   partition   once per plan (schedules/chunks.hpp): the tile of each chunk's first atom. A chunk is block x Items
//               x Searches atoms: K and IS of the paper
//   load        the chunk's offsets go through registers to storage (offset_window.hpp)
//   search      each thread makes Searches searches in storage, and from each writes the tiles of Items consecutive
//               atoms to registers
//   store       Searches times: each warp moves its part from registers to its own part of storage, with accesses of 16
//               bytes, and reads it back in the order of atoms. Warps wait for each other only if a skeleton needs
//               storage too
//
// For N tiles, W atoms, and chunks of C atoms that span S offsets:
//   work                O(W / C log N) to partition, O(W / Items log S + W) in a run
//   parallel complexity O(log N) + O(log S + Items Searches)
//   threads             W / C to partition, W / (Items Searches) in a run
//   offsets coalesced   no to partition, yes in a run
//   atoms coalesced     yes
//   extra memory        a tile number per chunk
// Limits: the plan takes a binary search, with non-coalesced accesses and divergence, or an interpolation search, with
// more arithmetic. The expansion takes storage and barriers. If a chunk spans more offsets than storage holds (long
// runs of empty tiles), they are searched in memory.
// Wins when tiles are short and uneven and each atom needs little work: expansion, scattering.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/detail/offset_window.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The number of blocks of a launch (figure 11 of the paper): one per chunk; as many as are resident; or
/// blocks_per_resident times as many. Blocks go from chunk to chunk.
enum class block_supply { per_chunk, resident, several_per_resident };
/// The paper's constant for all its workloads.
inline constexpr int blocks_per_resident = 32;

/// The mapping of multi_phase.
template <tile_set Tiles, int Items, int Searches> struct multi_phase_mapping {
  using sharings = sharing::list<sharing::striped_run<Items>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;
  /// A tile, counted from the window's first.
  using number = decltype(tile{} + 0);
  /// Tiles of a thread's consecutive atoms, as they go to storage: 16 bytes.
  static constexpr int pack_size = Items % (16 / sizeof(number)) == 0 ? 16 / sizeof(number) : 1;
  struct alignas(pack_size * sizeof(number)) pack {
    number tile[pack_size];
  };

  even_atoms<Tiles> distributed;
  const tile* starts;

  /// The same bytes: offsets until all searches are done, tiles from then on.
  struct slots {
    slot<int> ends;
    slot<pack> written; ///< by thread
    slot<number> tiles; ///< in the order of atoms
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    const auto start = layout.mark();
    const auto ends = layout.take<int>(smaller(shape.size * Items * Searches + 1, max_stored_offsets));
    layout.rewind(start);
    const auto written = layout.take<pack>(shape.size * (Items / pack_size));
    layout.rewind(start);
    const auto tiles = layout.take<number>(shape.size * Items);
    layout.skip_to_max();
    return {ends, written, tiles};
  }

  EVENLY_FN int cutting_blocks(int) const { return distributed.blocks_with_atoms(); }
  template <class Search> EVENLY_FN tile start_of(std::int64_t chunk, const Search& search) const {
    return distributed.start_of(chunk, search);
  }
  EVENLY_FN sized_mapping<multi_phase_mapping> sized(const capacity& max_size, block_shape) const {
    const auto here = distributed.sized(max_size);
    return {{here.mapping, starts}, here.blocks};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const std::int64_t last = distributed.first_chunk(block.index() + 1);
    for (std::int64_t chunk = distributed.first_chunk(block.index()); chunk < last; ++chunk) {
      static_assert(striped_atoms<typename expansion<Block>::part_run>);
      expansion<Block> here(block, *this, place, chunk);
      here.load();
      block.sync();
      here.search();
      block.sync(); // the offsets have been used
      for (int part = 0; part < here.parts(); ++part) {
        if constexpr (!requires { requires Consumer::runs_need_no_storage; })
          if (part > 0) block.sync(); // the consumer uses the same storage again
        consumer(sharing::striped_run<Items>{}, here.part(part));
      }
      if (chunk + 1 < last) block.sync();
    }
    distributed.distribute_empty_tiles(block, consumer);
  }

  /// A block's work on a chunk. A part of it is the atoms of one search of each thread: block x Items atoms.
  template <class Block> class expansion {
   public:
    EVENLY_FN expansion(Block& block, const multi_phase_mapping& mapping, const slots& place,
                        std::int64_t chunk)
        : block_(block), place_(place),
          window_(mapping.distributed.tiles, counted_load(mapping.starts + chunk),
                  counted_load(mapping.starts + chunk + 1), mapping.distributed.begin(chunk),
                  static_cast<int>(mapping.distributed.begin(chunk + 1) - mapping.distributed.begin(chunk)),
                  block.storage(place.ends)) {}

    EVENLY_FN void load() const { window_.load(block_); }

    /// Writes the tiles of the thread's atoms to registers. No synchronisation.
    EVENLY_FN void search() {
      EVENLY_UNROLL
      for (int part = 0; part < Searches; ++part) {
        const int first = part * block_.size() * Items + block_.rank() * Items;
        if (first >= window_.atoms()) break;
        auto here = window_.at(first);
        EVENLY_UNROLL
        for (int i = 0; i < Items; ++i) {
          // Past the end the last atom's tile is written again.
          window_.advance(here, smaller(first + i, window_.atoms() - 1));
          tile_of_[part * Items + i] = here.tile;
        }
      }
    }

    EVENLY_FN int parts() const { return ceil_div(window_.atoms(), block_.size() * Items); }

    /// A striped_run. Requires 0 <= number < parts().
    struct part_run {
      const expansion& all;
      int number;
      atom first_atom;
      atom last_atom;

      EVENLY_FN const Tiles& tiles() const { return all.window_.tiles(); }

      template <class Visit> EVENLY_FN void for_each(Visit visit) const {
        all.turn_around(number);
        all.visit_each(number, visit);
      }
      template <class Several, class One>
      requires(pack_size == 4)
      EVENLY_FN void for_each_four(Several several, One one) const {
        all.turn_around(number);
        all.visit_four(number, several, one);
      }
    };
    EVENLY_FN part_run part(int number) const {
      const int first = number * block_.size() * Items;
      const int last = smaller(first + block_.size() * Items, window_.atoms());
      return {*this, number, static_cast<atom>(window_.first_atom() + first),
              static_cast<atom>(window_.first_atom() + last)};
    }

   private:
    /// Moves a part from registers to the warp's positions in storage. Synchronises the warp.
    EVENLY_FN void turn_around(int which) const {
      const auto written = block_.storage(place_.written);
      const lanes<Block> warp = this_warp(block_);
      warp.sync(); // the previous part has been read
      EVENLY_UNROLL
      for (int part = 0; part < Searches; ++part) { // registers cannot be indexed by a variable
        if (part != which) continue;
        EVENLY_UNROLL
        for (int i = 0; i < Items / pack_size; ++i) {
          pack several;
          EVENLY_UNROLL
          for (int j = 0; j < pack_size; ++j) several.tile[j] = tile_of_[part * Items + i * pack_size + j];
          written[block_.rank() * (Items / pack_size) + i] = several;
        }
      }
      warp.sync();
    }

    /// The position of the warp's first atom in a part.
    EVENLY_FN int warp_begin() const { return (block_.rank() - this_warp(block_).rank()) * Items; }
    EVENLY_FN int atoms_of(int part) const {
      return smaller(block_.size() * Items, window_.atoms() - part * block_.size() * Items);
    }
    EVENLY_FN tile numbered(number t) const { return static_cast<tile>(window_.first_tile() + t); }

    template <class Visit> EVENLY_FN void visit_each(int part, const Visit& visit) const {
      const lanes<Block> warp = this_warp(block_);
      const auto tiles = block_.storage(place_.tiles);
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = warp_begin() + i * warp.size() + warp.rank();
        if (k < atoms_of(part)) visit(k, numbered(tiles[k]));
      }
    }

    template <class Several, class One>
    EVENLY_FN void visit_four(int part, const Several& several, const One& one) const {
      const lanes<Block> warp = this_warp(block_);
      const auto written = block_.storage(place_.written);
      const auto tiles = block_.storage(place_.tiles);
      EVENLY_UNROLL
      for (int i = 0; i < Items / 4; ++i) {
        const int k = warp_begin() + (i * warp.size() + warp.rank()) * 4;
        if (k >= atoms_of(part)) break;
        if (k + 4 <= atoms_of(part)) {
          const pack found = written[k / 4];
          several(k, four_tiles<tile>{numbered(found.tile[0]), numbered(found.tile[1]),
                                      numbered(found.tile[2]), numbered(found.tile[3])});
        } else {
          for (int each = k; each < atoms_of(part); ++each) one(each, numbered(tiles[each]));
        }
      }
    }

    Block& block_;
    const slots& place_;
    offset_window<Tiles, int, decltype(std::declval<Block&>().storage(slot<int>{}))> window_;
    number tile_of_[Items * Searches] = {};
  };
};

/// On an H200, 12 items and 1 search were fastest of {4, 7, 8, 12, 16} and {1, 2, 3, 4, 8}, or within 3% of the
/// fastest, for expansion on eight workloads (2026-11-21). Accesses of 16 bytes at a distance of 48 bytes have no bank
/// conflicts.
template <int Items = 12, int Searches = 1> struct multi_phase {
  static_assert(Items >= 1 && Items <= 16, "a search must cover 1 to 16 items");
  static_assert(Searches >= 1 && Searches <= 8, "a thread must make 1 to 8 searches in a chunk");

  int block_size = default_block_size;
  block_supply supply = block_supply::per_chunk;
  search_kind search = search_kind::automatic;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("items_per_thread", Items);
    visit("searches", Searches);
  }

  bool wants_squares() const { return search == search_kind::automatic; }

  /// On serial blocks, which find their tiles themselves, this is direct_search.
  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all, const planning& how,
               buffer<tile_type<Tiles>> starts = {}) const {
    if constexpr (Executor::serial_blocks) {
      return direct_search<>{block_size}.prepare(exec, tiles, all, how);
    } else {
      return prepare_partitioned<multi_phase_mapping<Tiles, Items, Searches>>(
          exec, distribute_for(exec, tiles, all, how), block_size, how, std::move(starts), search);
    }
  }
  template <class Executor, tile_set Tiles>
  auto prepare_once(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    return prepare_searched<multi_phase_mapping<Tiles, Items, Searches>>(
        exec, distribute_for(exec, tiles, all, {}), block_size);
  }
  template <class Executor, tile_set Tiles>
  auto prepare_nothing(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                       const planning& how) const {
    if constexpr (Executor::serial_blocks) {
      return direct_search<>{block_size}.prepare(exec, tiles, all, how);
    } else {
      return prepare_searching<multi_phase_mapping<Tiles, Items, Searches>>(
          distribute_atoms(exec, tiles, all, how, static_cast<std::int64_t>(block_size) * Items * Searches),
          block_size);
    }
  }

  /// Returns how atoms are distributed among blocks, for the partition and the launch.
  template <class Executor, tile_set Tiles>
  distributed_atoms<Tiles> distribute_for(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                                          const planning& how) const {
    std::int64_t max_blocks = std::numeric_limits<int>::max();
    if (supply != block_supply::per_chunk) {
      max_blocks = larger<std::int64_t>(exec.resident_threads() / block_size, 1);
      if (supply == block_supply::several_per_resident) max_blocks *= blocks_per_resident;
    }
    return distribute_atoms(exec, tiles, all, how, static_cast<std::int64_t>(block_size) * Items * Searches,
                            max_blocks);
  }
};
multi_phase() -> multi_phase<>;

} // namespace evenly
