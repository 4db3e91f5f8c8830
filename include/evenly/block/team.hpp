// SPDX-License-Identifier: Apache-2.0
// A team: the threads of a block that share one tile. It is one thread, a group of 2^k threads, a group of any number
// of threads given at run time, or the whole block.
//
// For groups of G = 2^k, a block of n threads makes consecutive groups of min(G, bit_floor(n)) threads. Groups of a
// size given at run time have min(G, n) threads. Each warp has as many groups as fit, and a group wider than a warp
// begins with a warp. Remaining threads belong to no group (has_thread() is false for them).
//
// Groups within a warp run independently. Wider ones (`wide()`) use the block's barrier, so all threads of the block
// must call a wide team's collectives together.
#pragma once

#include "evenly/block/block.hpp"
#include "evenly/block/detail/call_place.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

/// Team sizes: all threads of the block (any number); or a number of threads given at run time.
inline constexpr int whole_block = 0;
inline constexpr int any_size = -1;

/// Returns the number of threads of a team.
EVENLY_FN constexpr int team_size(int wanted, block_shape shape) {
  return wanted == whole_block ? shape.size : smaller(wanted, floor_power_of_two(shape.size));
}

/// A group size given at run time, 1 to 1024, with the constant to divide by it without a division.
struct group_size {
  int threads = 1;
  unsigned inverse = 1u << 20; ///< 2^20 / threads, rounded up

  constexpr group_size() = default;
  EVENLY_FN constexpr explicit group_size(int of)
      : threads(of), inverse(((1u << 20) + static_cast<unsigned>(of) - 1) / static_cast<unsigned>(of)) {}
  /// Exact for 0 <= value <= 1024: the rounding adds less than value / 2^20, which does not reach the next 1 / threads.
  EVENLY_FN constexpr int quotient(int value) const {
    return static_cast<int>(static_cast<unsigned>(value) * inverse >> 20);
  }
  EVENLY_FN constexpr int remainder(int value) const { return value - quotient(value) * threads; }
};

/// How groups of `size` threads, any number, are placed in a block.
struct group_layout {
  int size;  ///< threads of a group; at most the threads of the block
  int pitch; ///< for groups wider than a warp: the distance between the first threads of consecutive groups
  int count; ///< groups in the block

  EVENLY_FN static constexpr group_layout of(const group_size& wanted, block_shape shape) {
    const int size = smaller(wanted.threads, shape.size);
    if (wanted.threads > shape.size && size <= shape.warp) return {size, 0, 1};
    if (size <= shape.warp) {
      const int whole_warps = evenly::quotient(shape.size, shape.warp);
      return {size, 0,
              whole_warps * wanted.quotient(shape.warp) +
                  wanted.quotient(evenly::remainder(shape.size, shape.warp))};
    }
    const int pitch = ceil_div(size, shape.warp) * shape.warp;
    return {size, pitch, (shape.size - size) / pitch + 1};
  }
};

/// Returns the number of teams in a block of this shape.
EVENLY_FN constexpr int team_count(int wanted, block_shape shape) {
  return shape.size / team_size(wanted, shape);
}

/// Whether teams may be wide.
EVENLY_FN constexpr bool may_be_wide(int wanted, block_shape shape) {
  return (wanted == any_size ? shape.size : team_size(wanted, shape)) > shape.warp;
}

/// Elements of storage that team::reduce needs: one per warp for wide teams.
EVENLY_FN constexpr int team_reduce_slots(int wanted, block_shape shape) {
  return may_be_wide(wanted, shape) ? shape.warps() : 0;
}

/// At least as many elements as there are wide teams.
EVENLY_FN constexpr int wide_team_slots(int wanted, block_shape shape) {
  return wanted == any_size ? shape.warps() : team_count(wanted, shape);
}

/// The data that a team gets at run time.
template <int Wanted> struct runtime_group {};
template <> struct runtime_group<any_size> {
  group_size size;
};

/// The warps of a wide team in its block, to find what each has written to storage.
struct warp_range {
  int first;
  int count;
};

/// A team as one of its threads sees it. `Wanted`: 1 to 1024, a power of two; whole_block; or any_size.
template <int Wanted, class Block> class team {
  static_assert(Wanted == whole_block || Wanted == any_size ||
                    (Wanted >= 1 && Wanted <= max_block_size && (Wanted & (Wanted - 1)) == 0),
                "the number of threads in a group must be a power of two from 1 to 1024");

 public:
  static constexpr int wanted = Wanted;
  /// Whether a team is one thread in every block.
  static constexpr bool is_single = Wanted == 1 || Block::is_serial;

  EVENLY_FN explicit team(Block& block)
  requires(Wanted != any_size)
      : block_(block) {}
  EVENLY_FN team(Block& block, const group_size& group)
  requires(Wanted == any_size)
      : block_(block), group_{group} {}

  EVENLY_FN int size() const {
    if constexpr (is_single)
      return 1;
    else if constexpr (Wanted == any_size)
      return smaller(group_.size.threads, block_.size());
    else
      return team_size(Wanted, block_.shape());
  }
  /// The thread's rank in the team; at least size() for some threads in no team.
  EVENLY_FN int rank() const {
    if constexpr (Wanted == whole_block)
      return block_.rank();
    else if constexpr (is_single)
      return 0;
    else if constexpr (Wanted == any_size)
      return wide() ? remainder(block_.rank(), layout().pitch) : group_.size.remainder(lane_of(block_));
    else
      return remainder(block_.rank(), size());
  }
  /// The team's number in its block; at least count() for threads in no team.
  EVENLY_FN int index() const {
    if constexpr (Wanted == whole_block)
      return 0;
    else if constexpr (Wanted == any_size && !is_single)
      return group_index();
    else
      return quotient(block_.rank(), size());
  }
  EVENLY_FN int count() const {
    if constexpr (Wanted == whole_block)
      return 1;
    else if constexpr (Wanted == any_size && !is_single)
      return layout().count;
    else
      return team_count(is_single ? 1 : Wanted, block_.shape());
  }
  /// Whether the calling thread belongs to a team.
  EVENLY_FN bool has_thread() const {
    if constexpr (is_single || Wanted == whole_block)
      return true;
    else
      return index() < count();
  }
  EVENLY_FN bool wide() const {
    if constexpr (is_single)
      return false;
    else
      return size() > block_.shape().warp;
  }

  EVENLY_FN Block& block() const { return block_; }
  /// The warps of a wide team. Threads in no team get the remaining warps.
  EVENLY_FN warp_range warps() const {
    const block_shape shape = block_.shape();
    const int each = ceil_div(size(), shape.warp);
    const int first = index() * each;
    return {first, smaller(each, shape.warps() - first)};
  }
  /// Waits for the team's threads and orders their accesses to storage. All threads of the team call it; if the team is
  /// wide, all threads of the block, which it synchronises.
  EVENLY_FN void sync(call_place<Block> from = {}) const {
    if constexpr (!is_single) {
      const called_at<Block> call(block_, from);
      if (wide())
        block_.sync();
      else
        lanes<Block>(block_, lane_of(block_) - rank(), size()).sync();
    }
  }

  /// Returns the values of the team's threads, combined in rank order; valid at rank 0. All threads of the team call
  /// it; if the team is wide, all threads of the block, which it synchronises twice. `scratch`: team_reduce_slots
  /// elements.
  template <monoid Op, class Scratch>
  EVENLY_FN typename Op::value_type reduce(typename Op::value_type value, const Op& op, Scratch scratch,
                                           call_place<Block> from = {}) const {
    if constexpr (is_single) {
      return value;
    } else {
      const called_at<Block> call(block_, from);
      const block_shape shape = block_.shape();
      if (!wide()) {
        // A whole block of odd size may be one partial warp; the result is then the last value of a scan.
        if constexpr (Wanted == whole_block)
          return reduce_partial(this_warp(block_), value, op);
        else if constexpr (Wanted == any_size)
          return reduce_partial(lanes<Block>(block_, lane_of(block_) - rank(), size()), value, op);
        else
          return lanes<Block>(block_, lane_of(block_) / size() * size(), size()).reduce(value, op);
      }
      if constexpr (Wanted == any_size)
        if (!has_thread()) value = op.identity(); // a warp may have more threads than its team
      value = reduce_partial(this_warp(block_), value, op);
      if (lane_of(block_) == 0) scratch[warp_of(block_)] = value;
      block_.sync();
      if (rank() == 0 && index() < count()) {
        const int first = warp_of(block_);
        const int warps = ceil_div(size(), shape.warp);
        for (int w = 1; w < warps; ++w)
          value = op(value, static_cast<typename Op::value_type>(scratch[first + w]));
      }
      block_.sync();
      return value;
    }
  }

 private:
  EVENLY_FN group_layout layout() const
  requires(Wanted == any_size)
  {
    return group_layout::of(group_.size, block_.shape());
  }
  EVENLY_FN int group_index() const
  requires(Wanted == any_size)
  {
    const group_layout all = layout();
    const block_shape shape = block_.shape();
    if (all.pitch > 0)
      return remainder(block_.rank(), all.pitch) < all.size ? quotient(block_.rank(), all.pitch) : all.count;
    const int lane = lane_of(block_);
    const int in_warp = group_.size.quotient(lane);
    const int lanes_here = smaller(shape.warp, shape.size - (block_.rank() - lane));
    if ((in_warp + 1) * all.size > lanes_here) return all.count;
    return warp_of(block_) * group_.size.quotient(shape.warp) + in_warp;
  }

  template <class Op>
  static EVENLY_FN typename Op::value_type reduce_partial(const lanes<Block>& warp,
                                                          typename Op::value_type value, const Op& op) {
    if ((warp.size() & (warp.size() - 1)) == 0) return warp.reduce(value, op);
    return warp.shuffle(warp.scan(value, op), warp.size() - 1);
  }

  Block& block_;
  [[no_unique_address]] runtime_group<Wanted> group_;
};

/// Returns the lanes of a team within a warp. Requires that the caller belongs to one.
template <int G, class Block> EVENLY_FN lanes<Block> lanes_of(Block& block, const team<G, Block>& me) {
  return lanes<Block>(block, lane_of(block) - me.rank(), me.size());
}

/// Returns the lanes of the caller's warp that are in its team.
template <int G, class Block> EVENLY_FN lanes<Block> team_lanes(const team<G, Block>& me) {
  return me.wide() ? this_warp(me.block()) : lanes_of(me.block(), me);
}

} // namespace evenly
