// SPDX-License-Identifier: Apache-2.0
// direct_search<Items>: atoms are dealt evenly, and each thread finds the tile of its atom by binary search.
//
// Source: the "direct search" of Busato & Bombieri (TPDS 2017), the plainest search-based mapping.
// Cost: Items searches over all offsets per thread, the first of log2(tiles) dependent reads, the others
// short, since they advance from the one before; no extra memory, nothing to prepare. Atoms are coalesced,
// the reads of the search are not. Empty tiles are found by a coalesced pass over the offsets in the same
// launch. Limit: memory latency of the search. Wins when a plan is used once, and there are few tiles.
#pragma once

#include <cstdint>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Block b has the atoms [b * atoms_per_block, (b + 1) * atoms_per_block), counted from the first.
template <tile_set Tiles, int Items> struct direct_search_mapping {
  using sharings = sharing::list<sharing::striped_run<Items>, sharing::empty_tile>;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  struct slots {};
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  extent<Tiles> all;
  std::int64_t atoms_per_block;
  std::int64_t tiles_per_block; ///< for the pass that looks for empty tiles

  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    const std::int64_t begin = smaller(block.index() * atoms_per_block, all.atoms);
    const std::int64_t end = smaller(begin + atoms_per_block, all.atoms);
    const auto first_atom = static_cast<atom>(all.first_atom + begin);
    const auto last_atom = static_cast<atom>(all.first_atom + end);
    if constexpr (Block::is_serial) {
      // A chunk ends the tiles, empty ones too, up to the one that has its last boundary's atom.
      const tile first_tile = block.index() == 0 ? 0 : tile_of(first_atom, 0);
      const tile last_tile = end == all.atoms ? tiles.tiles() : tile_of(last_atom, first_tile);
      const bool head_open = first_tile < last_tile && first_atom > tiles.begin(first_tile);
      consumer(sharing::serial_run{},
               run_chunk<tile, atom>{first_tile, last_tile, first_atom, last_atom, head_open});
    } else {
      if (begin < end)
        consumer(sharing::striped_run<Items>{}, parallel_run<Block>{block, *this, first_atom, last_atom});
      if constexpr (Consumer::wants_empty_tiles) {
        const std::int64_t first = block.index() * tiles_per_block;
        const std::int64_t last = smaller<std::int64_t>(first + tiles_per_block, tiles.tiles());
        for (std::int64_t t = first + block.rank(); t < last; t += block.size())
          if (const auto empty = static_cast<tile>(t); tiles.begin(empty) == tiles.end(empty))
            consumer(sharing::empty_tile{}, empty);
      }
    }
  }

  /// The tile that has atom `a`; tiles before `from` are known not to. Requires a < last atom.
  EVENLY_FN tile tile_of(atom a, tile from) const {
    return first_past(from, tiles.tiles(), [&](tile t) { return tiles.end(t) > a; });
  }
  EVENLY_FN tile tile_of_near(atom a, tile from) const {
    return first_past_near(from, tiles.tiles(), [&](tile t) { return tiles.end(t) > a; });
  }

  /// The chunk of a block of many threads: atoms [first_atom, last_atom), at least one.
  template <class Block> struct parallel_run {
    Block& block;
    const direct_search_mapping& mapping;
    atom first_atom;
    atom last_atom;

    EVENLY_FN const Tiles& tiles() const { return mapping.tiles; }

    /// Calls visit(k, t) for each of the thread's atoms in order: k numbers the
    /// chunk's atoms from first_atom, t is the tile. No synchronisation.
    template <class Visit> EVENLY_FN void for_each(Visit visit) const {
      const int count = static_cast<int>(last_atom - first_atom);
      tile t = 0;
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k >= count) break;
        const atom a = first_atom + k;
        t = i == 0 ? mapping.tile_of(a, 0) : mapping.tile_of_near(a, t);
        visit(k, t);
      }
    }
  };
};

template <int Items = 7> struct direct_search {
  static_assert(Items >= 1 && Items <= 32, "a thread has 1 to 32 items");

  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("items_per_thread", Items);
  }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    using mapping = direct_search_mapping<Tiles, Items>;
    const std::int64_t parallel_items = static_cast<std::int64_t>(block_size) * Items;
    const std::int64_t per_block = items_per_block(exec, all.atoms, parallel_items);
    // Enough blocks for the atoms, and enough for the empty tiles.
    const int blocks =
        Executor::serial_blocks
            ? larger(block_count(all.atoms, per_block), tiles.tiles() > 0 ? 1 : 0)
            : larger(block_count(all.atoms, per_block), block_count(tiles.tiles(), parallel_items));
    const std::int64_t tiles_per_block = ceil_div<std::int64_t>(tiles.tiles(), larger(blocks, 1));
    return prepared(launch_of<mapping>{{tiles, all, per_block, tiles_per_block}, {blocks, block_size}});
  }
};
direct_search()->direct_search<>;

} // namespace evenly
