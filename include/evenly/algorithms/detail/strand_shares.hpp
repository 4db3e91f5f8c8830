// SPDX-License-Identifier: Apache-2.0
// A chunk of a merge path, shared by a block's strands: each has as many of its steps, atoms and tile ends, as the
// others. For blocks that are not serial.
//
//   where a share begins    not by a search for each strand, but by a thread for each tile: it knows at which step the
//                           tile ends, and a division says which strands begin before that and behind the end of the
//                           tile before. So a chunk costs a load or two that are side by side, and a barrier
//   who began a tile        an atom's step, divided by a share, is the strand that has it. A strand in whose share a
//                           tile ends that others began adds what these have of it, in their order: of most tiles
//                           that is one other
#pragma once

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Tiles of the chunk are numbered from 0; tile `tiles` is the one that is open when the chunk ends.
template <tile_set Tiles> struct strand_shares {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  const run_chunk<Tiles>& of;
  int strands;
  int tiles;
  int steps;
  int share; ///< steps of a strand; the last ones may have fewer

  EVENLY_FN strand_shares(const run_chunk<Tiles>& chunk, int count)
      : of(chunk), strands(count), tiles(static_cast<int>(chunk.last_tile - chunk.first_tile)),
        steps(static_cast<int>(chunk.last_atom - chunk.first_atom) + tiles),
        share(larger(quotient(steps + count - 1, count), 1)) {}

  EVENLY_FN tile number(int t) const { return static_cast<tile>(of.first_tile + t); }
  /// The step at which a tile ends.
  EVENLY_FN int end_of(int t) const { return static_cast<int>(of.tiles.end(number(t)) - of.first_atom) + t; }
  EVENLY_FN int strand_of(int step) const { return quotient(step, share); }
  /// Who has a tile's first atom in this chunk. Requires one, or that the tile ends.
  EVENLY_FN int beginner_of(int t) const { return t == 0 ? 0 : strand_of(end_of(t - 1) + 1); }
  EVENLY_FN int first_step(int strand) const { return smaller(strand * share, steps); }

  /// places[s], for s in [0, strands]: how many tiles have ended before the share of strand s. By all threads of the
  /// block, which it synchronises; `places` may be written by then.
  template <class Block, class Places> EVENLY_FN void find_places(Block& block, const Places& places) const {
    for (int t = block.rank(); t <= tiles; t += block.size()) {
      const int from = t == 0 ? 0 : strand_of(end_of(t - 1)) + 1;
      const int to = t == tiles ? strands : strand_of(end_of(t));
      for (int s = from; s <= to; ++s) places[s] = t;
    }
    block.sync();
  }
};

} // namespace evenly
