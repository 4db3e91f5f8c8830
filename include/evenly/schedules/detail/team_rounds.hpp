// SPDX-License-Identifier: Apache-2.0
// The teams of a block take its tiles in turn. This is common to schedules that give tiles to teams.
#pragma once

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"

namespace evenly {

/// Calls take(has, i) for each i in [0, count), by all threads of the team whose turn it is, with has = true. All
/// threads of the block call this function.
///
/// If teams of G are wide, all threads of the block make the same number of calls, with has = false if their team has
/// no tile left. The caller then passes a part without a tile, by the same call as for one with a tile, since a warp
/// may have threads of both.
template <int G, class Index, class Block, class Take>
EVENLY_FN void for_each_team(const team<G, Block>& me, Index count, const Take& take) {
  if (me.wide()) {
    for (Index round = 0; round < count; round += me.count()) {
      const Index i = round + me.index();
      take(me.index() < me.count() && i < count, i);
    }
  } else if (me.index() < me.count()) {
    for (Index i = me.index(); i < count; i += me.count()) take(true, i);
  }
}

} // namespace evenly
