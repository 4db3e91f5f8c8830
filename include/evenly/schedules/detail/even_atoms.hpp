// SPDX-License-Identifier: Apache-2.0
// Atoms distributed evenly, whatever tiles they belong to: the common base of schedules that search.
//
// A chunk is a run of consecutive atoms; all have the same number except the last. The schedules of this family differ
// in how the threads of a block find the tiles of its chunk's atoms. Empty tiles are in no chunk: if a skeleton wants
// them, a coalesced pass over the offsets distributes them in the same launch.
#pragma once

#include <cstdint>
#include <limits>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Chunk c has the atoms [c * atoms_per_chunk, (c + 1) * atoms_per_chunk), counted from the first. Block b has the
/// chunks [b * chunks_per_block, (b + 1) * chunks_per_block).
template <tile_set Tiles> struct even_atoms {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  Tiles tiles;
  extent<Tiles> all;
  std::int64_t atoms_per_chunk;
  std::int64_t chunks;
  std::int64_t chunks_per_block;
  std::int64_t tiles_per_block; ///< for the pass over empty tiles

  /// Later blocks have no atoms, only empty tiles.
  EVENLY_FN int blocks_with_atoms() const { return static_cast<int>(ceil_div(chunks, chunks_per_block)); }
  EVENLY_FN std::int64_t first_chunk(int block) const { return smaller(block * chunks_per_block, chunks); }

  /// Returns the same chunks for the sizes of a tile set sized on the device, and the number of blocks that they need.
  EVENLY_FN sized_mapping<even_atoms> sized(const capacity& max_size) const {
    const sizes<Tiles> found = sizes_within(tiles, max_size);
    even_atoms here = *this;
    here.all = found.all;
    here.chunks = ceil_div(found.all.atoms, atoms_per_chunk);
    const std::int64_t for_empty_tiles = ceil_div(found.tiles, tiles_per_block);
    return {here, static_cast<int>(larger<std::int64_t>(here.blocks_with_atoms(), for_empty_tiles))};
  }

  /// Returns the first atom of a chunk; the end of all atoms for chunks that do not exist.
  EVENLY_FN atom begin(std::int64_t chunk) const {
    return static_cast<atom>(all.first_atom + smaller(chunk * atoms_per_chunk, all.atoms));
  }

  /// Returns the tile of a chunk's first atom; for chunks that do not exist, that of the last atom; the first tile if
  /// there are no atoms. search(first, last, past) does the same as first_past.
  template <class Search> EVENLY_FN tile start_of(std::int64_t chunk, const Search& search) const {
    const std::int64_t a = smaller(chunk * atoms_per_chunk, all.atoms - 1);
    if constexpr (knows_tile_of<Tiles>)
      return a < 0 ? tile{0} : tiles.tile_of(static_cast<atom>(all.first_atom + a));
    else
      return search(tile{0}, tiles.tiles(),
                    [&](tile t) { return static_cast<std::int64_t>(tiles.end(t) - all.first_atom) > a; });
  }

  /// Returns the tile that has atom `a`. Requires that there is such an atom, and that no tile before `from` has it.
  EVENLY_FN tile tile_of(atom a, tile from) const {
    if constexpr (knows_tile_of<Tiles>)
      return tiles.tile_of(a);
    else
      return first_past_by_quarters(from, tiles.tiles(), [&](tile t) { return tiles.end(t) > a; });
  }
  /// The same; fast if the tile is near `from`.
  EVENLY_FN tile tile_of_near(atom a, tile from) const {
    if constexpr (knows_tile_of<Tiles>)
      return tiles.tile_of(a);
    else
      return first_past_near_by_quarters(from, tiles.tiles(), [&](tile t) { return tiles.end(t) > a; });
  }

  /// Returns a chunk for a serial block. It ends the tiles, empty ones too, before the tile of the next chunk's first
  /// atom.
  EVENLY_FN run_chunk<Tiles> serial_chunk(std::int64_t chunk) const {
    const atom first_atom = begin(chunk);
    const atom last_atom = begin(chunk + 1);
    const tile first_tile = chunk == 0 ? 0 : tile_of(first_atom, 0);
    const tile last_tile = chunk + 1 >= chunks ? tiles.tiles() : tile_of(last_atom, first_tile);
    return {tiles, first_tile, last_tile, first_atom, last_atom};
  }

  /// Hands a chunk, and the empty tiles in it, to a serial block.
  template <class Consumer> EVENLY_FN void hand_out_serially(std::int64_t chunk, Consumer& consumer) const {
    consumer(sharing::blocked_run<1>{}, serial_chunk(chunk));
  }

  /// Hands the block's part of the empty tiles to a consumer that wants them. No synchronisation.
  template <class Block, class Consumer>
  EVENLY_FN void hand_out_empty_tiles(Block& block, Consumer& consumer) const {
    if constexpr (Consumer::wants_empty_tiles) {
      const std::int64_t first = block.index() * tiles_per_block;
      const std::int64_t last = smaller<std::int64_t>(first + tiles_per_block, tiles.tiles());
      for (std::int64_t i = first + block.rank(); i < last; i += block.size()) {
        const auto t = static_cast<tile>(i);
        if (const atom begin = tiles.begin(t); begin == tiles.end(t))
          consumer(sharing::team<1>{}, empty_tile(t, begin));
      }
    }
  }
};

/// Atoms distributed among the blocks of a launch.
template <tile_set Tiles> struct dealt_atoms {
  even_atoms<Tiles> atoms;
  int blocks;
  std::int64_t max_chunks; ///< for any tile set that there is room for
  int max_blocks;
};

/// Distributes chunks of `parallel_atoms` atoms among at most `max_blocks` blocks; with serial blocks, each gets one
/// chunk of a suitable size. There are enough blocks for the empty tiles too.
template <class Executor, tile_set Tiles>
dealt_atoms<Tiles> deal_atoms(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                              const planning& how, std::int64_t parallel_atoms,
                              std::int64_t block_limit = std::numeric_limits<int>::max()) {
  const std::int64_t count = max_tiles(tiles);
  const std::int64_t per_chunk = items_per_block(exec, all.atoms, parallel_atoms);
  const std::int64_t chunks = ceil_div(all.atoms, per_chunk);
  const auto for_empty_tiles = [&](std::int64_t some) -> std::int64_t {
    if (Executor::serial_blocks) return some > 0 ? 1 : 0;
    return smaller<std::int64_t>(ceil_div(some, parallel_atoms), block_limit);
  };
  std::int64_t per_block = 1;
  if constexpr (!Executor::serial_blocks) per_block = larger<std::int64_t>(ceil_div(chunks, block_limit), 1);
  const int blocks = block_count(larger(ceil_div(chunks, per_block), for_empty_tiles(count)), 1);
  std::int64_t tiles_per_block = ceil_div<std::int64_t>(count, larger(blocks, 1));
  if constexpr (sized_on_device<
                    Tiles>) // with serial blocks the first has all empty tiles, if there are no atoms
    tiles_per_block = Executor::serial_blocks ? std::numeric_limits<std::int64_t>::max()
                                              : larger<std::int64_t>(tiles_per_block, 1);
  const std::int64_t max_chunks = max_blocks(exec, how.max_size.atoms, parallel_atoms);
  const std::int64_t max = smaller(larger(max_chunks, for_empty_tiles(how.max_size.tiles)), block_limit);
  return {
      {tiles, all, per_chunk, chunks, per_block, tiles_per_block}, blocks, max_chunks, block_count(max, 1)};
}

} // namespace evenly
