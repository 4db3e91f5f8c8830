// SPDX-License-Identifier: Apache-2.0
// Prefix sums over the threads of a block, in rank order, for any monoid.
#pragma once

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

/// What a thread learns from a scan: the combination of all values of lower ranks, and of all values.
template <class T> struct scan_result {
  T before;
  T total;
};

/// Elements of storage that block_scan needs.
EVENLY_FN constexpr int block_scan_slots(block_shape shape) { return shape.warps(); }

/// Combines the `value`s of all threads in rank order. All threads call; valid in all. `scratch`:
/// block_scan_slots elements, free again after the next sync(). Synchronises the block once. 2 log2(warp) +
/// warps steps.
template <class Block, monoid Op, class Scratch>
EVENLY_FN scan_result<typename Op::value_type> block_scan(Block& block, const typename Op::value_type& value,
                                                          const Op& op, Scratch scratch) {
  using T = typename Op::value_type;
  if constexpr (Block::is_serial) {
    return {op.identity(), value};
  } else {
    const block_shape shape = block.shape();
    const lanes<Block> warp = this_warp(block);
    const int my_warp = warp_of(block);
    const T inclusive = warp.scan(value, op);
    if (warp.rank() == warp.size() - 1) scratch[my_warp] = inclusive;
    T before = warp.shuffle_up(inclusive, 1);
    if (warp.rank() == 0) before = op.identity();
    block.sync();
    T prefix = op.identity();
    T total = op.identity();
    EVENLY_UNROLL
    for (int w = 0; w < shape.warps(); ++w) {
      if (w == my_warp) prefix = total;
      total = op(total, static_cast<T>(scratch[w]));
    }
    return {op(prefix, before), total};
  }
}

/// A value in a sequence cut into segments: `ends` says that a segment ends in what this stands for, and `open` is
/// what has come since the last end.
template <class T> struct segmented {
  int ends = 0;
  T open{};
};

/// Combines neighbouring `segmented` values, so that a scan yields what is still open before each.
template <monoid Op> struct segmented_monoid {
  using value_type = segmented<typename Op::value_type>;
  Op op;

  EVENLY_FN constexpr value_type identity() const { return {0, op.identity()}; }
  EVENLY_FN constexpr value_type operator()(const value_type& a, const value_type& b) const {
    return {a.ends | b.ends, b.ends ? b.open : op(a.open, b.open)};
  }
};
static_assert(monoid<segmented_monoid<plus<float>>>);

/// block_scan of `segmented` values, in half the exchanges. Who calls, who gets what, storage and synchronisation are
/// those of block_scan.
template <class Block, monoid Op, class Scratch>
EVENLY_FN scan_result<segmented<typename Op::value_type>>
block_segmented_scan(Block& block, const segmented<typename Op::value_type>& value, const Op& op,
                     Scratch scratch) {
  using T = typename Op::value_type;
  const segmented_monoid<Op> chain{op};
  if constexpr (Block::is_serial) {
    return {chain.identity(), value};
  } else {
    const block_shape shape = block.shape();
    const lanes<Block> warp = this_warp(block);
    const int my_warp = warp_of(block);
    const T inclusive = warp.segmented_scan(value.open, value.ends != 0, op);
    const lane_mask ended = warp.ballot(value.ends != 0);
    if (warp.rank() == warp.size() - 1) scratch[my_warp] = segmented<T>{ended != 0, inclusive};
    segmented<T> before{(ended & first_lanes(warp.rank())) != 0, warp.shuffle_up(inclusive, 1)};
    if (warp.rank() == 0) before = chain.identity();
    block.sync();
    segmented<T> prefix = chain.identity();
    segmented<T> total = chain.identity();
    EVENLY_UNROLL
    for (int w = 0; w < shape.warps(); ++w) {
      if (w == my_warp) prefix = total;
      total = chain(total, static_cast<segmented<T>>(scratch[w]));
    }
    return {chain(prefix, before), total};
  }
}

} // namespace evenly
