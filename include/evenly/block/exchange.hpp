// SPDX-License-Identifier: Apache-2.0
// Exchange: the items of a team's threads change from one arrangement to another through storage.
//
// In a team of `size` threads with Items items each, the i-th item of rank r has this number among all size * Items
// items:
//   blocked        r * Items + i                              for serial work in each thread
//   striped        i * size + r                               as consecutive threads read consecutive items
//   warp_striped   the items of a warp are those of blocked, striped among its lanes
//
// All changes work the same way: each thread writes its items to storage by their numbers in the old arrangement, and
// reads those with its numbers in the new one.
//
// Banks: the storage of a GPU has 32 banks of 4 bytes. Elements of 8 and 16 bytes are accessed by halves and quarters
// of a warp, in 16 pairs and 8 fours of banks. Let B be the number of places for an element. Lanes that are Items
// elements apart return to the same place after lcm(Items, B) elements, which are B / gcd(Items, B) lanes: too few if
// the gcd is not 1. Therefore a gap of one place follows every lcm(Items, B) elements, and the gcd(Items, B) sets of
// lanes are side by side. Consecutive elements, as striped lanes access them, have no gap between, since B divides the
// lcm.
#pragma once

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

/// The data, besides the arrangement, that determine an item's number: the thread and its team.
struct team_place {
  int rank;
  int size;
  int warp; ///< threads in a full warp
};

namespace arrangement {

/// The arrangements, as arguments. See the head of this file.
struct blocked {
  static constexpr bool crosses_warps = false;
  EVENLY_FN static constexpr int number(const team_place& at, int items, int i) {
    return at.rank * items + i;
  }
};

struct striped {
  static constexpr bool crosses_warps = true;
  EVENLY_FN static constexpr int number(const team_place& at, int, int i) { return i * at.size + at.rank; }
};

struct warp_striped {
  static constexpr bool crosses_warps = false;
  EVENLY_FN static constexpr int number(const team_place& at, int items, int i) {
    const int lane = remainder(at.rank, at.warp), first = at.rank - lane;
    return first * items + i * smaller(at.warp, at.size - first) + lane;
  }
};

} // namespace arrangement

/// The positions of a block's elements in storage: a gap of `gap` elements follows every `row` of them.
struct exchange_padding {
  int row;
  int gap; ///< 0: no gap is needed

  EVENLY_FN constexpr int place(int k) const { return gap == 0 ? k : k + quotient(k, row) * gap; }
};

/// Returns the padding for elements of `bytes` bytes. Elements of other sizes than 4, 8 and 16 bytes are accessed in
/// parts, of the greatest of these sizes that divides theirs. Elements of 1 or 2 bytes share a place with others, so up
/// to four accesses may still conflict. Elements of 32 bytes and more may conflict even if they are consecutive; gaps
/// do not help.
EVENLY_FN constexpr exchange_padding padding_for(int bytes, int items) {
  const int part = smaller(bytes & -bytes, 16);
  const int places = 128 / part;
  const int common = smaller(items & -items, places);
  const int gap = common * part > 4 && common > 1 ? larger(4 / part, 1) : 0;
  return {items / common * places, gap};
}

/// Elements of storage that team_exchange needs, for all teams of the block together.
template <class T, int Items> EVENLY_FN constexpr int team_exchange_slots(int wanted, block_shape shape) {
  return wanted == 1 ? 0 : padding_for(sizeof(T), Items).place(shape.size * Items - 1) + 1;
}
template <class T, int Items> EVENLY_FN constexpr int block_exchange_slots(block_shape shape) {
  return team_exchange_slots<T, Items>(whole_block, shape);
}

/// Changes the arrangement of the items. 2 Items steps.
///
/// - All threads of the team call it; if the team is wide, all threads of the block.
/// - Synchronises the team once (of a wide team only its warps if neither arrangement crosses them).
/// - `scratch`: team_exchange_slots elements, free again after the team's next sync().
template <int G, class Block, class T, int Items, class From, class To, class Scratch>
EVENLY_FN void team_exchange(const team<G, Block>& me, T (&items)[Items], From, To, Scratch scratch,
                             call_place<Block> from = {}) {
  if constexpr (!team<G, Block>::is_single) {
    const called_at<Block> call(me.block(), from);
    const team_place at{me.rank(), me.size(), me.block().shape().warp};
    const int first = me.index() * me.size() * Items;
    constexpr exchange_padding padding = padding_for(sizeof(T), Items);
    if (me.has_thread()) {
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) scratch[padding.place(first + From::number(at, Items, i))] = items[i];
    }
    if constexpr (From::crosses_warps || To::crosses_warps)
      me.sync();
    else
      team_lanes(me).sync();
    if (me.has_thread()) {
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i)
        items[i] = static_cast<T>(scratch[padding.place(first + To::number(at, Items, i))]);
    }
  }
}

/// team_exchange for the whole block: block_exchange(block, items, from, to, scratch).
template <class Block, class Items, class From, class To, class Scratch>
EVENLY_FN void block_exchange(Block& block, Items& items, From have, To want, Scratch scratch,
                              call_place<Block> from = {}) {
  team_exchange(team<whole_block, Block>(block), items, have, want, scratch, from);
}

} // namespace evenly
