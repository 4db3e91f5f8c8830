// SPDX-License-Identifier: Apache-2.0
// Lanes: consecutive threads of one warp that exchange values directly. Their number is a power of two, or the size of
// the warp (the last warp of a block may be partial). All of them must call each operation:
//
//   operation                       result
//   sync()                          orders the lanes' accesses to storage
//   shuffle(v, r)                   the v of rank r, valid in all lanes; 0 <= r < size()
//   shuffle_up(v, d)                the v of rank - d, or the caller's own if there is none
//   any(p), all(p)                  whether p holds in any lane, in all lanes; valid in all lanes
//   ballot(p)                       bit r is the p of rank r; valid in all lanes
//   first_where(p)                  the least rank whose p holds, -1 if none; valid in all lanes
//   reduce(v, op)                   the values combined in rank order; valid at rank 0; size() must be a power of two
//   scan(v, op)                     inclusive prefix in rank order; valid in all lanes
//   segmented_scan(v, starts, op)   inclusive prefix from the last rank up to the caller's whose `starts` is true, from
//                                   rank 0 if there is none; valid in all lanes
//
// No storage is used. Reductions and scans take log2(size) steps.
#pragma once

#include "evenly/block/block.hpp"
#include "evenly/block/detail/call_place.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

/// The lanes of a run or a warp. See the head of this file.
template <class Block> class lanes {
 public:
  EVENLY_FN lanes(Block& block, int first_lane, int size)
      : block_(block), size_(size), rank_(lane_of(block) - first_lane), first_(first_lane),
        mask_(first_lanes(size) << first_lane) {}

  EVENLY_FN int size() const { return size_; }
  EVENLY_FN int rank() const { return rank_; }
  EVENLY_FN Block& block() const { return block_; }

  EVENLY_FN void sync(call_place<Block> from = {}) const {
    const called_at<Block> call(block_, from);
    block_.warp_sync(mask_);
  }

  template <class T> EVENLY_FN T shuffle(T value, int rank, call_place<Block> from = {}) const {
    const called_at<Block> call(block_, from);
    return block_.warp_shuffle(mask_, value, first_ + rank);
  }
  template <class T> EVENLY_FN T shuffle_up(T value, int distance, call_place<Block> from = {}) const {
    return shuffle(value, rank_ >= distance ? rank_ - distance : rank_, from);
  }

  EVENLY_FN bool any(bool predicate, call_place<Block> from = {}) const {
    return votes(predicate, from) != 0;
  }
  EVENLY_FN bool all(bool predicate, call_place<Block> from = {}) const {
    return votes(predicate, from) == mask_;
  }

  /// Bit r: the predicate of rank r.
  EVENLY_FN lane_mask ballot(bool predicate, call_place<Block> from = {}) const {
    return votes(predicate, from) >> first_;
  }
  EVENLY_FN int first_where(bool predicate, call_place<Block> from = {}) const {
    const lane_mask found = ballot(predicate, from);
    return found == 0 ? -1 : first_lane(found);
  }

  template <monoid Op>
  EVENLY_FN typename Op::value_type reduce(typename Op::value_type value, const Op& op,
                                           call_place<Block> from = {}) const {
    const called_at<Block> call(block_, from);
    // Rank r holds the values of [r, r + d) in order whenever d divides r, so rank 0 ends with all of them in order.
    EVENLY_UNROLL
    for (int d = 1; d < size_; d *= 2) value = op(value, shuffle(value, rank_ ^ d));
    return value;
  }

  template <monoid Op>
  EVENLY_FN typename Op::value_type scan(typename Op::value_type value, const Op& op,
                                         call_place<Block> from = {}) const {
    const called_at<Block> call(block_, from);
    EVENLY_UNROLL
    for (int d = 1; d < size_; d *= 2) {
      const auto before = shuffle_up(value, d);
      if (rank_ >= d) value = op(before, value);
    }
    return value;
  }

  template <monoid Op>
  EVENLY_FN typename Op::value_type segmented_scan(typename Op::value_type value, bool starts, const Op& op,
                                                   call_place<Block> from = {}) const {
    const called_at<Block> call(block_, from);
    const lane_mask so_far = ballot(starts) & first_lanes(rank_ + 1);
    const int start = so_far == 0 ? 0 : last_lane(so_far);
    EVENLY_UNROLL
    for (int d = 1; d < size_; d *= 2) {
      const auto before = shuffle_up(value, d);
      if (rank_ - d >= start) value = op(before, value);
    }
    return value;
  }

 private:
  EVENLY_FN lane_mask votes(bool predicate, call_place<Block> from) const {
    const called_at<Block> call(block_, from);
    return block_.warp_ballot(mask_, predicate);
  }

  Block& block_;
  int size_;
  int rank_;
  int first_;
  lane_mask mask_;
};

/// Returns the caller's warp. Its size is the number of its threads in the block.
template <class Block> EVENLY_FN lanes<Block> this_warp(Block& block) {
  const block_shape shape = block.shape();
  if (shape.size % shape.warp == 0)
    return lanes<Block>(block, 0, shape.warp); // a constant if the shape is one
  const int warp_begin = warp_of(block) * shape.warp;
  return lanes<Block>(block, 0, smaller(shape.warp, shape.size - warp_begin));
}

namespace detail {

/// Returns the lanes of a warp before the caller's. A GPU reads its own register for this: compilers would compute a
/// value again at each use.
template <class Block> EVENLY_FN lane_mask lanes_before([[maybe_unused]] const lanes<Block>& warp) {
#if defined(__CUDA_ARCH__)
  std::uint32_t before = 0;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
  return before;
#else
  return first_lanes(warp.rank());
#endif
}

} // namespace detail

} // namespace evenly
