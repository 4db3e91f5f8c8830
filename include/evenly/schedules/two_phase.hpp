// SPDX-License-Identifier: Apache-2.0
// two_phase<Items>: atoms are distributed evenly among blocks. In the first phase, the partition, the plan finds the
// tile at which each block's chunk begins. In the second phase, the expansion, each thread searches once, in storage,
// and then walks along its own consecutive atoms.
//
// Source: Davidson, Baxter, Garland & Owens, "Work-efficient parallel GPU methods for single-source shortest paths"
// (IPDPS 2014); Green, McColl & Bader (ICS 2012); Baxter's load-balancing search ("Modern GPU", 2013). It is the
// "two-phase search" of Busato & Bombieri (TPDS 2017).
//
// For N tiles, W atoms, and chunks of C = block x Items atoms that span S offsets:
//   work                O(W / C log N) to partition, O(W / Items log S + W) in a run
//   parallel complexity O(log N) + O(log S + Items)
//   threads             W / C to partition, W / Items in a run
//   offsets coalesced   no to partition, yes in a run
//   atoms coalesced     no: consecutive threads are Items atoms apart; the more Items, the worse
//   extra memory        a tile number per chunk
// Limits: the partition, made with the plan, has non-coalesced accesses and divergence. The expansion takes storage.
// Wins when an atom takes much work and does not read data of consecutive atoms. Otherwise use multi_phase, which
// coalesces accesses.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/detail/offset_window.hpp"
#include "evenly/schedules/detail/shared_window.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The mapping of two_phase.
template <tile_set Tiles, int Items> struct two_phase_mapping {
  using sharings = sharing::list<sharing::run<true>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  static constexpr int tuned_block_size = default_block_size;

  even_atoms<Tiles> distributed;
  const tile* starts;

  struct slots {
    slot<int> ends;
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<int>(smaller(shape.size * Items + 1, max_stored_offsets))};
  }
  EVENLY_FN int cutting_blocks(int) const { return distributed.blocks_with_atoms(); }
  template <class Search> EVENLY_FN tile start_of(std::int64_t chunk, const Search& search) const {
    return distributed.start_of(chunk, search);
  }
  EVENLY_FN sized_mapping<two_phase_mapping> sized(const capacity& max_size, block_shape) const {
    const auto here = distributed.sized(max_size);
    return {{here.mapping, starts}, here.blocks};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots& place, Consumer& consumer) const {
    const std::int64_t chunk = block.index();
    if (chunk < distributed.chunks) {
      const auto ends = block.storage(place.ends);
      const offset_window<Tiles, int, std::remove_const_t<decltype(ends)>> window(
          distributed.tiles, counted_load(starts + chunk), counted_load(starts + chunk + 1),
          distributed.begin(chunk), static_cast<int>(distributed.begin(chunk + 1) - distributed.begin(chunk)),
          ends);
      window.load(block);
      block.sync();
      const shared_window run(block, window, Items);
      static_assert(atom_run<std::remove_const_t<decltype(run)>>);
      consumer(sharing::run<true>{}, run);
    }
    distributed.distribute_empty_tiles(block, consumer);
  }
};

/// 4 items take 0.5 to 0.9 of the time of 7 on all workloads except band27, where sums take 1.25 of it: consecutive
/// threads share more of the memory that they touch (H200, 2026-11-21).
template <int Items = 4> struct two_phase {
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
      return prepare_partitioned<two_phase_mapping<Tiles, Items>>(exec, distributed, block_size, how,
                                                                  std::move(starts));
    }
  }
  template <class Executor, tile_set Tiles>
  auto prepare_once(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    const auto distributed =
        distribute_atoms(exec, tiles, all, {}, static_cast<std::int64_t>(block_size) * Items);
    return prepare_searched<two_phase_mapping<Tiles, Items>>(exec, distributed, block_size);
  }
  template <class Executor, tile_set Tiles>
  auto prepare_nothing(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                       const planning& how) const {
    if constexpr (Executor::serial_blocks) {
      return direct_search<>{block_size}.prepare(exec, tiles, all, how);
    } else {
      return prepare_searching<two_phase_mapping<Tiles, Items>>(
          distribute_atoms(exec, tiles, all, how, static_cast<std::int64_t>(block_size) * Items), block_size);
    }
  }
};
two_phase() -> two_phase<>;

} // namespace evenly
