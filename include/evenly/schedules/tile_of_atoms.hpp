// SPDX-License-Identifier: Apache-2.0
// The tile of each atom of a chunk, by all threads of a block: tiles are scattered to where they begin, and a scan
// with maximum spreads them. No search; the cost is the same however tiles and atoms are mixed.
#pragma once

#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Items of a blocked_run; 0 for every other way of sharing.
template <int Items> EVENLY_FN constexpr int blocked_items(sharing::blocked_run<Items>) { return Items; }
template <class Sharing> EVENLY_FN constexpr int blocked_items(Sharing) { return 0; }

struct tile_of_atoms_slots {
  slot<int> tile_of;
  slot<int> warps;

  /// For chunks of `items` atoms a thread; none if items is 0.
  EVENLY_FN static constexpr tile_of_atoms_slots lay_out(storage_layout& layout, block_shape shape,
                                                         int items) {
    return {layout.take<int>(shape.size * items), layout.take<int>(items > 0 ? block_scan_slots(shape) : 0)};
  }
};

/// Leaves in slots.tile_of, for each of the `atoms` atoms from first_atom on, its tile, counted from first_tile. The tiles
/// of these atoms are among the `count` tiles from first_tile on; best if there are no more than size * Items of them.
/// 0 <= atoms <= size * Items. All threads call; synchronises the block four times, the last time at its end.
template <int Items, class Block, tile_set Tiles>
EVENLY_FN void find_tile_of_atoms(Block& block, const Tiles& tiles, tile_type<Tiles> first_tile, int count,
                                  atom_type<Tiles> first_atom, int atoms, const tile_of_atoms_slots& slots) {
  const auto tile_of = block.storage(slots.tile_of);
  const auto mark = [&](int t) {
    const auto each = static_cast<tile_type<Tiles>>(first_tile + t);
    const auto begin = larger(tiles.begin(each), first_atom) - first_atom;
    const auto end = tiles.end(each) - first_atom;
    if (begin < end && begin < atoms) tile_of[static_cast<int>(begin)] = t;
  };
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) tile_of[block.rank() + i * block.size()] = 0;
  block.sync();
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int t = block.rank() + i * block.size();
    if (t >= count) break;
    mark(t);
  }
  for (int t = block.rank() + Items * block.size(); t < count; t += block.size()) mark(t);
  block.sync();
  int mine[Items];
  int latest = 0;
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int k = block.rank() * Items + i;
    if (k < atoms) latest = larger(latest, static_cast<int>(tile_of[k]));
    mine[i] = latest;
  }
  const int before = block_scan(block, latest, maximum<int>{}, block.storage(slots.warps)).before;
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int k = block.rank() * Items + i;
    if (k < atoms) tile_of[k] = larger(before, mine[i]);
  }
  block.sync();
}

/// The same for a blocked_run's chunk of at most size * Items merge items.
template <int Items, class Block, tile_set Tiles>
EVENLY_FN void find_tile_of_atoms(Block& block, const Tiles& tiles,
                                  const run_chunk<tile_type<Tiles>, atom_type<Tiles>>& chunk,
                                  const tile_of_atoms_slots& slots) {
  const int ended = static_cast<int>(chunk.last_tile - chunk.first_tile);
  const int count = chunk.last_tile < tiles.tiles() ? ended + 1 : ended; // one more may be open at the end
  find_tile_of_atoms<Items>(block, tiles, chunk.first_tile, count, chunk.first_atom,
                            static_cast<int>(chunk.last_atom - chunk.first_atom), slots);
}

} // namespace evenly
