// SPDX-License-Identifier: Apache-2.0
// Atoms of listed tiles: their owners, in batches, and loads ahead of their use (graph/detail/persistent_frontier.hpp).
#pragma once

#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/graph/detail/persistent_places.hpp"

namespace evenly::detail {

/// The last of the first `count` entries of a list that does not begin after `atom`. Called by all lanes of a warp.
template <class Block, class List, class Tile, class Atom>
EVENLY_FN Tile entry_of(Block& block, const List& list, Tile count, Atom atom) {
  if (atom == 0) return 0;
  const auto past = [&](Tile i) {
    const graphs::listed_tile<Tile, Atom> each = list[i];
    return each.before > atom;
  };
  if constexpr (Block::is_serial)
    return first_past(Tile{0}, count, past) - 1;
  else
    return first_past_together(this_warp(block), Tile{0}, count, past) - 1;
}

/// The same among the `inside` entries of a block's window, which has one entry per thread.
template <class Block, class Before, class Atom>
EVENLY_FN int owner_in_window([[maybe_unused]] const Block& block, [[maybe_unused]] const Before& before,
                              [[maybe_unused]] int inside, [[maybe_unused]] Atom atom) {
  int owner = 0;
  if constexpr (!Block::is_serial) {
    EVENLY_UNROLL
    for (int step = floor_power_of_two(block.size()); step > 0; step /= 2) {
      const int next = owner + step;
      if (next < inside && before[next] <= atom) owner = next;
    }
  }
  return owner;
}

/// Loads the atoms of a tile into `staged`, from place `first` on.
template <class Block, class Staged, class Visit, class Entry, class Tiles, class Atoms>
EVENLY_FN void stage_atoms(const Visit& visit, const Entry& from, const Tiles& tiles, const Atoms& staged,
                           int first) {
  constexpr int ahead = Block::is_serial ? 1 : 4; ///< loads in flight at the same time
  const int count = static_cast<int>(from.count), place = first + static_cast<int>(from.before);
  for (int i = 0; i < count; i += ahead) {
    Staged atoms[ahead];
    EVENLY_UNROLL
    for (int j = 0; j < ahead; ++j) atoms[j] = visit.load(from.begin + smaller(i + j, count - 1));
    EVENLY_UNROLL
    for (int j = 0; j < ahead; ++j) {
      if (i + j >= count) continue;
      tiles[place + i + j] = from.tile;
      staged[place + i + j] = atoms[j];
      visit.foresee(atoms[j]);
    }
  }
}

/// Loads the atoms of all found tiles that have more than `few`. The threads share all these atoms, since one tile
/// after the other takes longer. Until they are loaded, places hold the number of the tile. Called by all threads of
/// the block. entries, atoms: the numbers of both in the found tiles.
template <class Block, class Visit, class Entry, class Tile, class Staged>
EVENLY_OUT_OF_LINE_FN void stage_long_ones(Block& block, Visit visit, slot<Entry> found_at,
                                           slot<Tile> tiles_at, slot<Staged> staged_at, int first,
                                           int entries, int atoms, int few) {
  const auto found = block.storage(found_at);
  const auto tiles = block.storage(tiles_at);
  const auto staged = block.storage(staged_at);
  const lanes<Block> warp = this_warp(block);
  for (int base = block.rank() - warp.rank(); base < entries; base += block.size()) {
    int place = 0, count = 0;
    if (base + warp.rank() < entries) {
      const Entry mine = found[base + warp.rank()];
      place = first + static_cast<int>(mine.before);
      count = static_cast<int>(mine.count);
    }
    for (lane_mask longer = warp.ballot(count > few); longer != 0; longer &= longer - 1) {
      const int lane = first_lane(longer), from = warp.shuffle(place, lane), many = warp.shuffle(count, lane);
      for (int i = warp.rank(); i < many; i += warp.size()) tiles[from + i] = -1 - (base + lane);
    }
  }
  block.sync();
  for (int i = block.rank(); i < atoms; i += block.size()) {
    const Tile mark = tiles[first + i];
    if (mark >= 0) continue;
    const Entry from = found[static_cast<int>(-1 - mark)];
    const Staged atom = visit.load(from.begin + (i - from.before));
    tiles[first + i] = from.tile;
    staged[first + i] = atom;
    visit.foresee(atom);
  }
}

/// The number of atoms that a block of one thread has in flight.
inline constexpr int batch = 32;

/// Calls some(tiles, staged, count) for the atoms [from, to) of a list, one batch at a time; `first` is the entry of
/// the first atom.
template <class Staged, class Visit, class Entry, class Tile, class Atom, class Some>
EVENLY_FN void visit_in_batches(const Visit& visit, const Entry* list, Tile first, Atom from, Atom to,
                                const Some& some) {
  Tile tile[batch];
  Staged staged[batch];
  int filled = 0;
  for (Atom at = from; at < to; ++first) {
    const Entry each = list[first];
    const Atom end = smaller<Atom>(to, each.before + each.count);
    for (; at < end; ++at) {
      tile[filled] = each.tile;
      staged[filled] = visit.load(each.begin + (at - each.before));
      visit.foresee(staged[filled]);
      if (++filled < batch && at + 1 < to) continue;
      some(tile, staged, filled);
      filled = 0;
    }
  }
}

} // namespace evenly::detail
