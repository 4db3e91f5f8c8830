// SPDX-License-Identifier: Apache-2.0
// Whose an atom of a list is (schedules/resident_frontier.hpp).
#pragma once

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

} // namespace evenly::detail
