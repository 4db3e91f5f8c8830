// SPDX-License-Identifier: Apache-2.0
// team_reduce and block_reduce: combine the values of a team's threads in order, for any monoid. A thread has one
// value, or several items in blocked arrangement. The result is valid at the team's rank 0.
//
// (`total` of scan.hpp is valid in all threads. It needs one barrier instead of two, but each thread combines all
// warps.)
//
// - All threads of the team call it; if the team is wide, all threads of the block.
// - A wide team synchronises the block twice, the last time at its end.
// - `scratch`: team_reduce_slots elements, free again at once.
// - Cost: log2(warp) + warps of the team steps, and Items - 1.
#pragma once

#include <type_traits>

#include "evenly/block/detail/call_place.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

/// Elements of storage that block_reduce needs.
EVENLY_FN constexpr int block_reduce_slots(block_shape shape) {
  return team_reduce_slots(whole_block, shape);
}

/// Combines a value per thread. See the head of this file.
template <int G, class Block, monoid Op, class Scratch>
EVENLY_FN typename Op::value_type team_reduce(const team<G, Block>& me, const typename Op::value_type& value,
                                              const Op& op, Scratch scratch, call_place<Block> from = {}) {
  return me.reduce(value, op, scratch, from);
}

/// Combines several items per thread.
template <int G, class Block, class T, int Items, monoid Op, class Scratch>
requires std::is_same_v<std::remove_const_t<T>, typename Op::value_type>
EVENLY_FN typename Op::value_type team_reduce(const team<G, Block>& me, T (&items)[Items], const Op& op,
                                              Scratch scratch, call_place<Block> from = {}) {
  typename Op::value_type sum = items[0];
  EVENLY_UNROLL
  for (int i = 1; i < Items; ++i) sum = op(sum, items[i]);
  return me.reduce(sum, op, scratch, from);
}

/// team_reduce for the whole block: block_reduce(block, value or items, op, scratch).
template <class Block, class Values, monoid Op, class Scratch>
EVENLY_FN auto block_reduce(Block& block, Values&& values, const Op& op, Scratch scratch,
                            call_place<Block> from = {}) {
  return team_reduce(team<whole_block, Block>(block), values, op, scratch, from);
}

} // namespace evenly
