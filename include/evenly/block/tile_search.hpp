// SPDX-License-Identifier: Apache-2.0
// The tile of each of a team's atoms, without a search: the positions where tiles begin are marked, and a scan with
// maximum spreads the marks. The cost does not depend on how tiles and atoms are mixed. (find_tile_of_atoms of
// schedules/detail/tile_of_atoms.hpp is the form for tile sets; searches by one thread are in block/search.hpp.)
//
// Source: Baxter, "Modern GPU" (2013), load-balancing search; with marks and a scan, Dalton, Baxter, Merrill, Olson &
// Garland (IPDPS 2015).
#pragma once

#include "evenly/block/detail/call_place.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

/// The storage of a tile search.
struct tile_search_slots {
  slot<int>
      tile_of; ///< of the atoms of the block's teams, one team after the other, each with size() * Items
  slot<int> warps;

  /// For `items` atoms per thread, in teams of `wanted` threads; empty if items is 0.
  EVENLY_FN static constexpr tile_search_slots lay_out(storage_layout& layout, block_shape shape, int items,
                                                       int wanted = whole_block) {
    return {layout.take<int>(shape.size * items),
            layout.take<int>(items > 0 ? team_scan_slots(wanted, shape) : 0)};
  }
};

/// The position of a team's first atom in slots.tile_of.
template <int Items, int G, class Block> EVENLY_FN int first_atom_of_team(const team<G, Block>& me) {
  return me.index() * me.size() * Items;
}

/// Writes to slots.tile_of[`first_atom_of_team<Items>(me)` + k], for each atom k in [0, atoms) of the team, the tile t
/// in [0, count) with begin(t) <= k < end(t). 4 Items + log2(size) steps.
///
/// - Requires that there is exactly one such tile, and atoms <= size() * Items. Best if count <= size() * Items.
/// - `begin`, `end`: functions of an int with ascending values of any signed integer type, which may be below 0 and
///   beyond `atoms`.
/// - All threads of the team call it. If the team is wide, all threads of the block call it; it synchronises the block
///   four times, the last time at its end. Other teams synchronise themselves.
template <int Items, int G, class Block, class Begin, class End>
EVENLY_FN void team_tile_search(const team<G, Block>& me, int count, int atoms, const Begin& begin,
                                const End& end, const tile_search_slots& slots, call_place<Block> from = {}) {
  Block& block = me.block();
  const called_at<Block> call(block, from);
  const auto tile_of = block.storage(slots.tile_of);
  const int first = first_atom_of_team<Items>(me);
  const int rank = me.rank(), size = me.size();
  const bool has_thread = me.has_thread();
  const auto mark = [&](int t) {
    auto start = begin(t);
    if (start < 0) start = 0;
    if (start < end(t) && start < atoms) tile_of[first + static_cast<int>(start)] = t;
  };
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i)
    if (has_thread) tile_of[first + rank + i * size] = 0;
  me.sync();
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int t = rank + i * size;
    if (t >= count || !has_thread) break;
    mark(t);
  }
  for (int t = rank + Items * size; t < count && has_thread; t += size) mark(t);
  me.sync();
  int mine[Items];
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int k = rank * Items + i;
    mine[i] = 0;
    if (k < atoms && has_thread) mine[i] = tile_of[first + k];
  }
  team_inclusive_scan(me, mine, maximum<int>{}, block.storage(slots.warps));
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) {
    const int k = rank * Items + i;
    if (k < atoms && has_thread) tile_of[first + k] = mine[i];
  }
  me.sync();
}

/// team_tile_search for the whole block: the tile of atom k is in slots.tile_of[k].
template <int Items, class Block, class Begin, class End>
EVENLY_FN void block_tile_search(Block& block, int count, int atoms, const Begin& begin, const End& end,
                                 const tile_search_slots& slots, call_place<Block> from = {}) {
  team_tile_search<Items>(team<whole_block, Block>(block), count, atoms, begin, end, slots, from);
}

} // namespace evenly
