// SPDX-License-Identifier: Apache-2.0
// The tile of each atom of a chunk, found by all threads of a block: block/tile_search.hpp for tile sets.
#pragma once

#include "evenly/block/tile_search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

using tile_of_atoms_slots = tile_search_slots;

/// Writes to slots.tile_of the tile of each of the `atoms` atoms from first_atom on, counted from first_tile.
///
/// - Requires that the tiles of these atoms are among the `count` tiles from first_tile on, and 0 <= atoms <= size *
///   Items.
/// - Best if count <= size * Items.
/// - All threads call; synchronises the block four times, the last time at its end.
template <int Items, class Block, tile_set Tiles>
EVENLY_FN void find_tile_of_atoms(Block& block, const Tiles& tiles, tile_type<Tiles> first_tile, int count,
                                  atom_type<Tiles> first_atom, int atoms, const tile_of_atoms_slots& slots) {
  const auto at = [&](int t) { return static_cast<tile_type<Tiles>>(first_tile + t); };
  block_tile_search<Items>(
      block, count, atoms, [&](int t) { return larger(tiles.begin(at(t)), first_atom) - first_atom; },
      [&](int t) { return tiles.end(at(t)) - first_atom; }, slots);
}

/// The same for a blocked_run's chunk of at most size * Items merge items.
template <int Items, class Block, tile_set Tiles>
EVENLY_FN void find_tile_of_atoms(Block& block, const run_chunk<Tiles>& chunk,
                                  const tile_of_atoms_slots& slots) {
  const int ended = static_cast<int>(chunk.last_tile - chunk.first_tile);
  const int count =
      chunk.last_tile < chunk.tiles.tiles() ? ended + 1 : ended; // one more may be open at the end
  find_tile_of_atoms<Items>(block, chunk.tiles, chunk.first_tile, count, chunk.first_atom,
                            static_cast<int>(chunk.last_atom - chunk.first_atom), slots);
}

} // namespace evenly
