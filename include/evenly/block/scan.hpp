// SPDX-License-Identifier: Apache-2.0
// Prefix sums over the threads of a block or a team, in rank order, for any monoid. A thread has one value, or several
// items in blocked arrangement (the items of a thread are consecutive, and those of the next thread follow).
//
// All scans work the same way: each warp scans, one element of storage holds each warp's total, and every thread
// combines the totals of the warps before its own. A segmented scan is the scan of another monoid (segmented_monoid). A
// warp does it in half the exchanges, because one vote finds all ends.
//
// - team_x: all threads of the team call it; if the team is wide, all threads of the block, also those in no team.
// - A wide team synchronises the block once. `scratch`, team_scan_slots elements, is free again after the next sync().
// - Other teams use neither storage nor barriers.
// - block_x: team_x for the whole block.
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/call_place.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

/// The result of a scan for a thread: the combination of all values of lower ranks, and of all values.
template <class T> struct scan_result {
  T before;
  T total;
};

/// Elements of storage that block_scan needs; enough for team_x of any teams of the block.
EVENLY_FN constexpr int block_scan_slots(block_shape shape) { return shape.warps(); }
/// Elements of storage that team_scan needs.
EVENLY_FN constexpr int team_scan_slots(int wanted, block_shape shape) {
  return team_reduce_slots(wanted, shape);
}

/// The combination of a run of elements in a sequence of segments. `ends`: whether a segment ends in the run. `open`:
/// the combination after the last end.
template <class T> struct segmented {
  int ends = 0;
  T open{};
};

/// Combines consecutive `segmented` values, so that a scan returns the open value before each.
template <monoid Op> struct segmented_monoid {
  using value_type = segmented<typename Op::value_type>;
  Op op;

  EVENLY_FN constexpr value_type identity() const { return {0, op.identity()}; }
  EVENLY_FN constexpr value_type operator()(const value_type& a, const value_type& b) const {
    return {a.ends | b.ends, b.ends ? b.open : op(a.open, b.open)};
  }
};
static_assert(monoid<segmented_monoid<plus<float>>>);

/// The scan among lanes. All lanes call; `before` is valid in all, `total` in the last.
template <class Block, monoid Op>
EVENLY_FN scan_result<typename Op::value_type> lanes_scan(const lanes<Block>& all,
                                                          const typename Op::value_type& value, const Op& op,
                                                          call_place<Block> from = {}) {
  const auto inclusive = all.scan(value, op, from);
  auto before = all.shuffle_up(inclusive, 1, from);
  if (all.rank() == 0) before = op.identity();
  return {before, inclusive};
}

/// The same for `segmented` values, in half the exchanges.
template <class Block, monoid Op>
EVENLY_FN scan_result<segmented<typename Op::value_type>>
lanes_scan(const lanes<Block>& all, const segmented<typename Op::value_type>& value,
           const segmented_monoid<Op>& chain, call_place<Block> from = {}) {
  using T = typename Op::value_type;
  const T inclusive = all.segmented_scan(value.open, value.ends != 0, chain.op, from);
  const lane_mask ended = all.ballot(value.ends != 0, from);
  segmented<T> before{(ended & first_lanes(all.rank())) != 0, all.shuffle_up(inclusive, 1, from)};
  if (all.rank() == 0) before = chain.identity();
  return {before, {ended != 0, inclusive}};
}

/// The scan of a run of whole warps of the block. All threads of the block call it; synchronises the block once.
template <class Block, monoid Op, class Scratch>
EVENLY_FN scan_result<typename Op::value_type> scan_warps(Block& block, const typename Op::value_type& value,
                                                          const Op& op, Scratch scratch, warp_range warps,
                                                          call_place<Block> from) {
  const called_at<Block> call(block, from);
  using T = typename Op::value_type;
  const lanes<Block> warp = this_warp(block);
  const int my_warp = warp_of(block);
  const auto mine = lanes_scan(warp, value, op);
  if (warp.rank() == warp.size() - 1) scratch[my_warp] = mine.total;
  block.sync();
  T prefix = op.identity();
  T total = op.identity();
  EVENLY_UNROLL
  for (int w = 0; w < warps.count; ++w) {
    if (warps.first + w == my_warp) prefix = total;
    total = op(total, static_cast<T>(scratch[warps.first + w]));
  }
  return {op(prefix, mine.before), total};
}

/// Combines the values of all threads in rank order. 2 log2(warp) + warps steps.
///
/// - All threads of the block call it; the result is valid in all. Synchronises the block once.
/// - `scratch`: block_scan_slots elements, free again after the next sync().
template <class Block, monoid Op, class Scratch>
EVENLY_FN scan_result<typename Op::value_type> block_scan(Block& block, const typename Op::value_type& value,
                                                          const Op& op, Scratch scratch,
                                                          call_place<Block> from = {}) {
  if constexpr (Block::is_serial)
    return {op.identity(), value};
  else
    return scan_warps(block, value, op, scratch, warp_range{0, block.shape().warps()}, from);
}

/// block_scan of `segmented` values. Callers, results, storage and synchronisation are those of block_scan.
template <class Block, monoid Op, class Scratch>
EVENLY_FN scan_result<segmented<typename Op::value_type>>
block_segmented_scan(Block& block, const segmented<typename Op::value_type>& value, const Op& op,
                     Scratch scratch, call_place<Block> from = {}) {
  return block_scan(block, value, segmented_monoid<Op>{op}, scratch, from);
}

/// Combines the values of the team's threads in rank order; valid in all of them. 2 log2(warp) + warps of the team
/// steps.
template <int G, class Block, monoid Op, class Scratch>
EVENLY_FN scan_result<typename Op::value_type> team_scan(const team<G, Block>& me,
                                                         const typename Op::value_type& value, const Op& op,
                                                         Scratch scratch, call_place<Block> from = {}) {
  if constexpr (team<G, Block>::is_single) {
    return {op.identity(), value};
  } else {
    if (me.wide()) return scan_warps(me.block(), value, op, scratch, me.warps(), from);
    const lanes<Block> all = lanes_of(me.block(), me);
    const auto mine = lanes_scan(all, value, op, from);
    return {mine.before, all.shuffle(mine.total, all.size() - 1, from)};
  }
}

/// Nothing comes before the first item.
struct no_prefix {};

/// Returns the value before a team's first item: `prefix` itself, or prefix(total) if it is a function. All threads of
/// the team (of the block, if the team is wide) call prefix(total) with the combination of all items. It must return
/// the same value in all of them. It may synchronise, for example to wait for earlier blocks.
template <class Prefix, monoid Op>
EVENLY_FN typename Op::value_type prefix_before(const Prefix& prefix, const typename Op::value_type& total,
                                                const Op& op) {
  if constexpr (std::is_same_v<Prefix, no_prefix>)
    return op.identity();
  else if constexpr (std::invocable<const Prefix&, const typename Op::value_type&>)
    return prefix(total);
  else
    return prefix;
}

/// Replaces each item, in blocked arrangement, by the combination of all items up to it. Returns the combination of
/// all, without the prefix, valid in all threads of the team. In addition to team_scan it takes 2 Items steps.
template <int G, class Block, monoid Op, int Items, class Scratch, class Prefix = no_prefix>
EVENLY_FN typename Op::value_type
team_inclusive_scan(const team<G, Block>& me, typename Op::value_type (&items)[Items], const Op& op,
                    Scratch scratch, const Prefix& prefix = {}, call_place<Block> from = {}) {
  const called_at<Block> call(me.block(), from);
  EVENLY_UNROLL
  for (int i = 1; i < Items; ++i) items[i] = op(items[i - 1], items[i]);
  const auto scan = team_scan(me, items[Items - 1], op, scratch);
  const auto before = op(prefix_before(prefix, scan.total, op), scan.before);
  EVENLY_UNROLL
  for (int i = 0; i < Items; ++i) items[i] = op(before, items[i]);
  return scan.total;
}

/// Replaces each item by the combination of all items before it; otherwise the same.
template <int G, class Block, monoid Op, int Items, class Scratch, class Prefix = no_prefix>
EVENLY_FN typename Op::value_type
team_exclusive_scan(const team<G, Block>& me, typename Op::value_type (&items)[Items], const Op& op,
                    Scratch scratch, const Prefix& prefix = {}, call_place<Block> from = {}) {
  const called_at<Block> call(me.block(), from);
  EVENLY_UNROLL
  for (int i = 1; i < Items; ++i) items[i] = op(items[i - 1], items[i]);
  const auto scan = team_scan(me, items[Items - 1], op, scratch);
  const auto before = op(prefix_before(prefix, scan.total, op), scan.before);
  EVENLY_UNROLL
  for (int i = Items - 1; i > 0; --i) items[i] = op(before, items[i - 1]);
  items[0] = before;
  return scan.total;
}

/// team_inclusive_scan for the whole block.
template <class Block, class Items, monoid Op, class Scratch, class Prefix = no_prefix>
EVENLY_FN auto block_inclusive_scan(Block& block, Items& items, const Op& op, Scratch scratch,
                                    const Prefix& prefix = {}, call_place<Block> from = {}) {
  return team_inclusive_scan(team<whole_block, Block>(block), items, op, scratch, prefix, from);
}
/// team_exclusive_scan for the whole block.
template <class Block, class Items, monoid Op, class Scratch, class Prefix = no_prefix>
EVENLY_FN auto block_exclusive_scan(Block& block, Items& items, const Op& op, Scratch scratch,
                                    const Prefix& prefix = {}, call_place<Block> from = {}) {
  return team_exclusive_scan(team<whole_block, Block>(block), items, op, scratch, prefix, from);
}

} // namespace evenly
