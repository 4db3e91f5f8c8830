// SPDX-License-Identifier: Apache-2.0
// direct_search<Items>: atoms are distributed evenly, and each thread finds the tile of its atom by binary search.
//
// Source: the "direct search" of Busato & Bombieri (TPDS 2017), the simplest search-based mapping.
//
// For N tiles and W atoms:
//   work                O(W log N)
//   parallel complexity O(log N)
//   threads             W / Items
//   offsets coalesced   no: each step of each search reads an offset of its own
//   atoms coalesced     yes
//   extra memory        none; nothing to prepare
// A thread searches all offsets once, for its first atom. From one of its atoms to the next it advances by a search
// that costs the logarithm of the distance. A coalesced pass over the offsets in the same launch finds empty tiles.
// Limits: non-coalesced accesses, warp divergence, and the latency of log2(N) / 2 dependent reads, each of three
// offsets.
// Wins when a plan is used once, and there are few tiles.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The mapping of direct_search.
template <tile_set Tiles, int Items> struct direct_search_mapping {
  using sharings = sharing::list<sharing::striped_run<Items>, sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  struct slots {};
  static constexpr int tuned_block_size = default_block_size;

  even_atoms<Tiles> distributed;

  EVENLY_FN int cutting_blocks(int) const { return distributed.blocks_with_atoms(); }
  EVENLY_FN sized_mapping<direct_search_mapping> sized(const capacity& max_size, block_shape) const {
    const auto here = distributed.sized(max_size);
    return {{here.mapping}, here.blocks};
  }
  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    if constexpr (Block::is_serial) {
      distributed.distribute_serially(block.index(), consumer);
    } else {
      const parallel_run<Block> run{block, distributed, distributed.begin(block.index()),
                                    distributed.begin(block.index() + 1)};
      static_assert(striped_atoms<parallel_run<Block>>);
      if (run.first_atom < run.last_atom) consumer(sharing::striped_run<Items>{}, run);
      distributed.distribute_empty_tiles(block, consumer);
    }
  }

  /// The chunk of a parallel block: atoms [first_atom, last_atom), at least one.
  template <class Block> struct parallel_run {
    Block& block;
    const even_atoms<Tiles>& distributed;
    atom first_atom;
    atom last_atom;

    EVENLY_FN const Tiles& tiles() const { return distributed.tiles; }

    template <class Visit> EVENLY_FN void for_each(Visit visit) const {
      const int count = static_cast<int>(last_atom - first_atom);
      tile t = 0;
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k >= count) break;
        const atom a = first_atom + k;
        t = i == 0 ? distributed.tile_of(a, 0) : distributed.tile_of_near(a, t);
        visit(k, t);
      }
    }
  };
};

/// The schedule. `Items`: atoms per thread.
template <int Items = 7> struct direct_search {
  static_assert(Items >= 1 && Items <= 32, "a thread must have 1 to 32 items");

  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("items_per_thread", Items);
  }

  /// On serial blocks this is direct_search<1>.
  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
               const planning& how) const {
    constexpr int items = Executor::serial_blocks ? 1 : Items;
    const auto distributed =
        distribute_atoms(exec, tiles, all, how, static_cast<std::int64_t>(block_size) * Items);
    return prepared(launch_of<direct_search_mapping<Tiles, items>>{
        {distributed.atoms}, {distributed.blocks, block_size}, distributed.max_blocks});
  }
};
direct_search() -> direct_search<>;

} // namespace evenly
