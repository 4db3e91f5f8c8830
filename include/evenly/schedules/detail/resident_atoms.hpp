// SPDX-License-Identifier: Apache-2.0
// Atoms of tiles on a list: whose they are, in batches, and read beforehand (schedules/resident_frontier.hpp).
#pragma once

#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/detail/resident_places.hpp"

namespace evenly::detail {

/// Of the first `count` entries of a list the last one that does not begin after `atom`. By all lanes of a warp.
template <class Block, class List, class Tile, class Atom>
EVENLY_FN Tile entry_of(Block& block, const List& list, Tile count, Atom atom) {
  if (atom == 0) return 0;
  const auto past = [&](Tile i) {
    const listed_tile<Tile, Atom> each = list[i];
    return each.before > atom;
  };
  if constexpr (Block::is_serial)
    return first_past(Tile{0}, count, past) - 1;
  else
    return first_past_together(this_warp(block), Tile{0}, count, past) - 1;
}

/// Likewise of the `inside` entries of a block's window, of which there is one for each thread.
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

/// Reads every `stride`th atom of a tile, from the rank-th on, to where they are kept: from place `first` on.
template <class Block, class Staged, class Visit, class Entry, class Tiles, class Atoms>
EVENLY_FN void stage_atoms(const Visit& visit, const Entry& from, int rank, int stride, const Tiles& tiles,
                           const Atoms& staged, int first) {
  constexpr int ahead = Block::is_serial ? 1 : 4; ///< loads on their way at the same time
  using atom = std::remove_cvref_t<decltype(from.begin)>;
  for (int i = rank; i < from.count; i += ahead * stride) {
    Staged atoms[ahead];
    EVENLY_UNROLL
    for (int j = 0; j < ahead; ++j)
      atoms[j] = visit.load(from.begin + smaller<atom>(i + j * stride, from.count - 1));
    EVENLY_UNROLL
    for (int j = 0; j < ahead; ++j) {
      if (i + j * stride >= from.count) continue;
      tiles[first + i + j * stride] = from.tile;
      staged[first + i + j * stride] = atoms[j];
      visit.foresee(atoms[j]);
    }
  }
}

/// Atoms that a block of one thread has on their way.
inline constexpr int batch = 32;

/// Calls some(tiles, staged, count) for the atoms [from, to) of a list, a batch at a time; `first`: whose the first is.
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
