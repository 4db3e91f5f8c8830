// SPDX-License-Identifier: Apache-2.0
// A chunk of a merge path, distributed among a block's strands: each has equally many of its steps, atoms and tile
// ends. For parallel blocks.
//
//   where a part begins     found by a thread per tile instead of a search per strand. The thread knows the step at
//   which its tile ends; a division gives the strands that begin before that and after the end of the tile before. A
//   chunk costs one or two coalesced loads and a barrier the beginner of a tile  an atom's step divided by the steps of
//   a part is its strand. If a tile ends in a strand's part and others began it, the strand adds their sums, in order;
//   for most tiles that is one strand
#pragma once

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Several blocks may each have a piece of the chunk: their strands replace those of one block. Tiles of the chunk are
/// numbered from 0, strands from the piece's first.
template <tile_set Tiles> struct strand_shares {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  const run_chunk<Tiles>& of;
  int strands; ///< of the piece
  int first;   ///< strands of the pieces before
  int tiles;   ///< of the chunk
  int steps;
  int share;      ///< steps of a strand; the last ones may have fewer
  float of_share; ///< 1 / share, for inexact quotients

  EVENLY_FN strand_shares(const run_chunk<Tiles>& chunk, int count, int pieces, int piece)
      : of(chunk), strands(count), first(piece * count),
        tiles(static_cast<int>(chunk.last_tile - chunk.first_tile)),
        steps(static_cast<int>(chunk.last_atom - chunk.first_atom) + tiles),
        share(larger(quotient(steps + count * pieces - 1, count * pieces), 1)),
        of_share(near_inverse(static_cast<float>(share))) {}

  EVENLY_FN tile number(int t) const { return static_cast<tile>(of.first_tile + t); }
  /// The step at which a tile ends.
  EVENLY_FN int end_of(int t) const { return static_cast<int>(of.tiles.end(number(t)) - of.first_atom) + t; }
  /// Returns the strand that has a step; below 0, or at least `strands`, if it is in another piece.
  EVENLY_FN int strand_of(int step) const {
    const int near = static_cast<int>(static_cast<float>(step) * of_share); // off by at most one
    const int over = step - near * share;
    return near + (over >= share) - (over < 0) - first;
  }
  /// Returns the piece's first strand with atoms of a tile that ends in the piece or is open at its end; `strands` if
  /// there is none.
  EVENLY_FN int beginner_of(int t) const {
    return t == 0 ? 0 : smaller(larger(strand_of(end_of(t - 1) + 1), 0), strands);
  }
  EVENLY_FN int first_step(int strand) const { return smaller((first + strand) * share, steps); }
  EVENLY_FN atom atom_at(int step, int t) const { return static_cast<atom>(of.first_atom + (step - t)); }

  /// Writes places[s], for s in [0, strands]: how many tiles of the chunk have ended before the part of strand s. All
  /// threads of the block call it, and synchronise before they read.
  template <class Block, class Places>
  EVENLY_FN void find_places(const Block& block, const Places& places) const {
    for (int t = block.rank(); t <= tiles; t += block.size()) {
      const int end_before = t > 0 ? end_of(t - 1) : -1; // both loads are in flight before the divisions
      const int end_here = t < tiles ? end_of(t) : (first + strands) * share;
      const int from = larger(strand_of(end_before) + 1, 0), to = smaller(strand_of(end_here), strands);
      for (int s = from; s <= to; ++s) places[s] = t;
    }
  }

 private:
  EVENLY_INLINE_FN static float near_inverse(float x) {
#if defined(__CUDA_ARCH__)
    return __fdividef(1.0f, x);
#else
    return 1.0f / x;
#endif
  }
};

} // namespace evenly
