// SPDX-License-Identifier: Apache-2.0
// The values of a team's threads, or several items of each in blocked arrangement, combined in order, for any monoid;
// valid at the team's rank 0. (Whoever wants the result in all threads takes `total` of scan.hpp, for one barrier in
// place of two, but a combination of all warps in every thread.)
//
// Called by all threads of the team; by all threads of the block if the team is wide, which synchronises the block
// twice, the last time at its end: `scratch`, team_reduce_slots elements, is free again at once. log2(warp) + warps of
// the team steps, and Items - 1.
#pragma once

#include <type_traits>

#include "evenly/block/detail/call_place.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

EVENLY_FN constexpr int block_reduce_slots(block_shape shape) {
  return team_reduce_slots(whole_block, shape);
}

template <int G, class Block, monoid Op, class Scratch>
EVENLY_FN typename Op::value_type team_reduce(const team<G, Block>& me, const typename Op::value_type& value,
                                              const Op& op, Scratch scratch, call_place<Block> from = {}) {
  return me.reduce(value, op, scratch, from);
}

template <int G, class Block, class T, int Items, monoid Op, class Scratch>
requires std::is_same_v<std::remove_const_t<T>, typename Op::value_type>
EVENLY_FN typename Op::value_type team_reduce(const team<G, Block>& me, T (&items)[Items], const Op& op,
                                              Scratch scratch, call_place<Block> from = {}) {
  typename Op::value_type sum = items[0];
  EVENLY_UNROLL
  for (int i = 1; i < Items; ++i) sum = op(sum, items[i]);
  return me.reduce(sum, op, scratch, from);
}

/// team_reduce of the whole block: block_reduce(block, value or items, op, scratch).
template <class Block, class Values, monoid Op, class Scratch>
EVENLY_FN auto block_reduce(Block& block, Values&& values, const Op& op, Scratch scratch,
                            call_place<Block> from = {}) {
  return team_reduce(team<whole_block, Block>(block), values, op, scratch, from);
}

} // namespace evenly
