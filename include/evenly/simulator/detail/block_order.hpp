// SPDX-License-Identifier: Apache-2.0
// block_order: the accesses that happened before the next step of each thread of one block, in its own and other
// blocks.
//
// Within the block barriers order accesses (race_check.hpp). Between blocks atomic operations and fences do:
// * A release stores the thread's knowledge with the object, and an acquire takes it.
// * A fence makes a release of the relaxed stores after it, and an acquire of the relaxed loads before it.
// * A barrier gives the knowledge of each of its threads to all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "evenly/block/block.hpp"
#include "evenly/core/index.hpp"
#include "evenly/simulator/detail/clocks.hpp"
#include "evenly/simulator/detail/race_check.hpp"

namespace evenly::detail {

/// A clock, and the object from which it was taken as a whole. The clock of the object after more releases includes it.
struct taken_clock {
  clock_view clock;
  const void* from = nullptr;

  void take(const clock_view& more, const void* object) {
    if (!more || more == clock) return;
    const bool of_one = clock && from && from == object;
    if (of_one && more->releases < clock->releases) return;
    const bool includes_mine = !clock || of_one;
    from = includes_mine ? object : nullptr;
    clock = includes_mine ? more : joined(clock, more);
  }
  void take(const taken_clock& other) { take(other.clock, other.from); }
};

class block_order {
 public:
  void begin(int block, race_checker& within) {
    block_ = block;
    within_ = &within;
    all_ = {};
    of_thread_.clear();
  }

  int block() const { return block_; }
  std::uint64_t now() const { return within_->now(); }

  /// Returns whether the access of thread `by` of block `of_block` at `time` happened before the next step of `thread`.
  bool is_ordered(int of_block, int by, std::uint64_t time, int thread) const {
    if (of_block == block_ && (by == thread || time < within_->ordered_until(by, thread))) return true;
    if (all_.clock && all_.clock->covers(of_block, by, time)) return true;
    const auto mine = of_thread_.find(thread);
    return mine != of_thread_.end() && mine->second.knows.clock &&
           mine->second.knows.clock->covers(of_block, by, time);
  }

  /// All threads have met in sync.
  void sync() {
    for (auto& [thread, order] : of_thread_) {
      all_.take(order.knows);
      order.knows = {};
    }
  }
  /// The lanes in `mask` of the warp whose first thread is `base` have met in warp_sync.
  void warp_sync(int base, lane_mask mask) {
    if (of_thread_.empty()) return;
    taken_clock known;
    for (lane_mask rest = mask; rest; rest &= rest - 1)
      if (const auto lane = of_thread_.find(base + first_lane(rest)); lane != of_thread_.end())
        known.take(lane->second.knows);
    if (!known.clock) return;
    for (lane_mask rest = mask; rest; rest &= rest - 1) of_thread_[base + first_lane(rest)].knows = known;
  }
  void fence(int thread) {
    thread_order& order = of_thread_[thread];
    order.knows.take(order.seen);
    order.seen = {};
    auto all = std::make_shared<block_clock>();
    synchronize_all(*all, thread, nullptr);
    order.fenced = std::move(all);
  }

  /// Adds to `to`, the clock of `object`, what `thread` releases by an operation on it. Without `all` that is the
  /// knowledge at its last fence only.
  void release(block_clock& to, int thread, const void* object, bool all) {
    if (all) return synchronize_all(to, thread, object);
    const auto mine = of_thread_.find(thread);
    if (mine != of_thread_.end() && mine->second.fenced) to.join(*mine->second.fenced);
  }
  /// Returns whether release() would add anything.
  bool releases(int thread, bool all) const {
    const auto mine = of_thread_.find(thread);
    return all || (mine != of_thread_.end() && mine->second.fenced);
  }
  /// Gives the clock of an object to `thread`: at once, or for its next fence.
  void acquire(int thread, const clock_view& clock, const void* object, bool at_once) {
    if (!clock) return;
    thread_order& order = of_thread_[thread];
    (at_once ? order.knows : order.seen).take(clock, object);
  }

 private:
  struct thread_order {
    taken_clock knows;
    taken_clock seen;  ///< by relaxed operations
    clock_view fenced; ///< the knowledge at its last fence
  };

  /// Adds the knowledge and the accesses of `thread`, and advances the time.
  void synchronize_all(block_clock& to, int thread, const void* object) {
    const auto mine = of_thread_.find(thread);
    const auto add = [&](const taken_clock& clock) {
      if (clock.clock && (!object || clock.from != object)) to.join(*clock.clock);
    };
    add(all_);
    if (mine != of_thread_.end()) add(mine->second.knows);
    to.add({block_, thread, within_->ordered_until_of_warp(thread), within_->now() + 1});
    within_->tick();
  }

  int block_ = 0;
  race_checker* within_ = nullptr;
  taken_clock all_; ///< the knowledge of all threads
  std::unordered_map<int, thread_order> of_thread_;
};

} // namespace evenly::detail
