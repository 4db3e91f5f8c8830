// SPDX-License-Identifier: Apache-2.0
// Groups of threads that cooperate: lanes of a warp, teams of any size up to the block, and their reductions and scans.
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"

// ---------------------------------------------------------------------------------------------------------------------
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

namespace evenly {

/// The lanes of a run or a warp. See the head of this section.
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

// ---------------------------------------------------------------------------------------------------------------------
// A team: the threads of a block that share one tile. It is one thread, a group of 2^k threads, a group of any number
// of threads given at run time, or the whole block.
//
// For groups of G = 2^k, a block of n threads makes consecutive groups of min(G, bit_floor(n)) threads. Groups of a
// size given at run time have min(G, n) threads. Each warp has as many groups as fit, and a group wider than a warp
// begins with a warp. Remaining threads belong to no group (has_thread() is false for them).
//
// Groups within a warp run independently. Wider ones (`wide()`) use the block's barrier, so all threads of the block
// must call a wide team's collectives together.

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

// ---------------------------------------------------------------------------------------------------------------------
// team_reduce and block_reduce: combine the values of a team's threads in order, for any monoid. A thread has one
// value, or several items in blocked arrangement. The result is valid at the team's rank 0.
//
// (`total` of scan_result is valid in all threads. It needs one barrier instead of two, but each thread combines all
// warps.)
//
// - All threads of the team call it; if the team is wide, all threads of the block.
// - A wide team synchronises the block twice, the last time at its end.
// - `scratch`: team_reduce_slots elements, free again at once.
// - Cost: log2(warp) + warps of the team steps, and Items - 1.

/// Elements of storage that block_reduce needs.
EVENLY_FN constexpr int block_reduce_slots(block_shape shape) {
  return team_reduce_slots(whole_block, shape);
}

/// Combines a value per thread. See the head of this section.
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

// ---------------------------------------------------------------------------------------------------------------------
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
