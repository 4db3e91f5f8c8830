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

/// Where a tile's atoms lie in a chunk, counted from the chunk's first atom: [begin, end), cut to the chunk.
struct span_in_chunk {
  int begin;
  int end;
};

/// Tile number t of `chunk`, counted from its first. Requires that the tile has atoms in the chunk or ends in it.
template <tile_set Tiles>
EVENLY_FN span_in_chunk in_chunk(const Tiles& tiles,
                                 const run_chunk<tile_type<Tiles>, atom_type<Tiles>>& chunk, int t) {
  const auto tile = static_cast<tile_type<Tiles>>(chunk.first_tile + t);
  return {static_cast<int>(larger(tiles.begin(tile), chunk.first_atom) - chunk.first_atom),
          static_cast<int>(smaller(tiles.end(tile), chunk.last_atom) - chunk.first_atom)};
}

struct tile_of_atoms_slots {
  slot<int> tile_of;
  slot<int> warps;

  /// For chunks of `items` atoms a thread; none if items is 0.
  EVENLY_FN static constexpr tile_of_atoms_slots lay_out(storage_layout& layout, block_shape shape,
                                                         int items) {
    return {layout.take<int>(shape.size * items), layout.take<int>(items > 0 ? block_scan_slots(shape) : 0)};
  }
};

/// Leaves in slots.tile_of, for each atom of `chunk`, its tile, counted from first_tile. The chunk has at most
/// size * Items tile ends and atoms. All threads call; synchronises the block four times, the last time at its end.
template <int Items, class Block, tile_set Tiles>
EVENLY_FN void find_tile_of_atoms(Block& block, const Tiles& tiles,
                                  const run_chunk<tile_type<Tiles>, atom_type<Tiles>>& chunk,
                                  const tile_of_atoms_slots& slots) {
  const auto tile_of = block.storage(slots.tile_of);
  const int atoms = static_cast<int>(chunk.last_atom - chunk.first_atom);
  const int ended = static_cast<int>(chunk.last_tile - chunk.first_tile);
  const int count = chunk.last_tile < tiles.tiles() ? ended + 1 : ended; // one more may be open at the end
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) tile_of[block.rank() + i * block.size()] = 0;
  block.sync();
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int t = block.rank() + i * block.size();
    if (t >= count) break;
    const span_in_chunk here = in_chunk(tiles, chunk, t);
    if (here.begin < here.end) tile_of[here.begin] = t;
  }
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

} // namespace evenly
