// SPDX-License-Identifier: Apache-2.0
// A team: the threads of a block that share one tile. One thread, a group of 2^k threads, or the whole block.
//
// Asked for groups of G, a block of n threads makes groups of min(G, bit_floor(n)); threads left over belong
// to no group (has_tile is false for them). Groups within a warp work at their own pace; wider ones
// (`wide()`) use the block's barrier, so all threads of the block must go through a wide team's collectives
// together.
#pragma once

#include "evenly/block/block.hpp"
#include "evenly/block/detail/call_place.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

/// As the size of a team: all threads of the block, whatever their number.
inline constexpr int whole_block = 0;

EVENLY_FN constexpr int team_size(int wanted, block_shape shape) {
  return wanted == whole_block ? shape.size : smaller(wanted, floor_power_of_two(shape.size));
}

/// Teams in a block of this shape.
EVENLY_FN constexpr int team_count(int wanted, block_shape shape) {
  return shape.size / team_size(wanted, shape);
}

/// Elements of storage that team::reduce needs: one a warp for wide teams.
EVENLY_FN constexpr int team_reduce_slots(int wanted, block_shape shape) {
  return team_size(wanted, shape) > shape.warp ? shape.warps() : 0;
}

/// Where a wide team's warps are in the block, to find what each has left in storage.
struct warp_range {
  int first;
  int count;
};

template <int Wanted, class Block> class team {
  static_assert(Wanted == whole_block ||
                    (Wanted >= 1 && Wanted <= max_block_size && (Wanted & (Wanted - 1)) == 0),
                "a group has a power-of-two number of threads, 1 to 1024");

 public:
  static constexpr int wanted = Wanted;
  /// Whether a team is one thread, whatever the block.
  static constexpr bool is_single = Wanted == 1 || Block::is_serial;

  EVENLY_FN explicit team(Block& block) : block_(block) {}

  EVENLY_FN int size() const {
    if constexpr (is_single)
      return 1;
    else
      return team_size(Wanted, block_.shape());
  }
  EVENLY_FN int rank() const {
    if constexpr (Wanted == whole_block)
      return block_.rank();
    else
      return remainder(block_.rank(), size());
  }
  /// The team's number in its block; count() and more for threads that belong to none.
  EVENLY_FN int index() const {
    if constexpr (Wanted == whole_block)
      return 0;
    else
      return quotient(block_.rank(), size());
  }
  EVENLY_FN int count() const {
    if constexpr (Wanted == whole_block)
      return 1;
    else
      return team_count(Wanted, block_.shape());
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
  /// Of a wide team. Threads that belong to none get the warps that are left over.
  EVENLY_FN warp_range warps() const {
    const block_shape shape = block_.shape();
    const int each = ceil_div(size(), shape.warp);
    const int first = index() * each;
    return {first, smaller(each, shape.warps() - first)};
  }
  /// Waits for the team's threads and orders their accesses to storage. Called by all threads of the team; if it is wide
  /// by all threads of the block, which it synchronises.
  EVENLY_FN void sync(call_place<Block> from = {}) const {
    if constexpr (!is_single) {
      const called_at<Block> call(block_, from);
      if (wide())
        block_.sync();
      else
        lanes<Block>(block_, lane_of(block_) - rank(), size()).sync();
    }
  }

  /// The values of the team's threads, combined in rank order; valid at rank 0. Called by all threads of the
  /// team; if the team is wide by all threads of the block, which it synchronises twice. `scratch`:
  /// team_reduce_slots elements.
  template <monoid Op, class Scratch>
  EVENLY_FN typename Op::value_type reduce(typename Op::value_type value, const Op& op, Scratch scratch,
                                           call_place<Block> from = {}) const {
    if constexpr (is_single) {
      return value;
    } else {
      const called_at<Block> call(block_, from);
      const block_shape shape = block_.shape();
      if (!wide()) {
        // A whole block of odd size may be one partial warp: then the scan's last value is what is wanted.
        if constexpr (Wanted == whole_block)
          return reduce_partial(this_warp(block_), value, op);
        else
          return lanes<Block>(block_, lane_of(block_) / size() * size(), size()).reduce(value, op);
      }
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
  template <class Op>
  static EVENLY_FN typename Op::value_type reduce_partial(const lanes<Block>& warp,
                                                          typename Op::value_type value, const Op& op) {
    if ((warp.size() & (warp.size() - 1)) == 0) return warp.reduce(value, op);
    return warp.shuffle(warp.scan(value, op), warp.size() - 1);
  }

  Block& block_;
};

/// The lanes of a team that is not wide. The caller belongs to one.
template <int G, class Block> EVENLY_FN lanes<Block> lanes_of(Block& block, const team<G, Block>& me) {
  return lanes<Block>(block, lane_of(block) - me.rank(), me.size());
}

/// The lanes of the caller's warp that are in its team.
template <int G, class Block> EVENLY_FN lanes<Block> team_lanes(const team<G, Block>& me) {
  return me.wide() ? this_warp(me.block()) : lanes_of(me.block(), me);
}

} // namespace evenly
