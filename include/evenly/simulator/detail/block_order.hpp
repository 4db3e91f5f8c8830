// SPDX-License-Identifier: Apache-2.0
// What the threads of one block know to have happened before, in their own block and in others.
//
// Within the block barriers order accesses (race_check.hpp). Between blocks atomic operations and fences do: a release
// stores with the object what its thread knows, an acquire takes that; a fence makes a release of the relaxed stores
// after it, and an acquire of the relaxed loads before it. A barrier tells all what any of its threads knew.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "evenly/block/block.hpp"
#include "evenly/core/index.hpp"
#include "evenly/simulator/detail/clocks.hpp"
#include "evenly/simulator/detail/race_check.hpp"

namespace evenly::detail {

/// A clock, and the object that it was taken from as a whole: what that has had after more releases includes it.
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

  /// Whether an access of `thread`'s block, or another one, at `time` happened before what `thread` does now.
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

  /// What `thread` releases by an operation on an object, added to what the object has. Without `all`, as of its last
  /// fence only.
  void release(block_clock& to, int thread, const void* object, bool all) {
    if (all) return synchronize_all(to, thread, object);
    const auto mine = of_thread_.find(thread);
    if (mine != of_thread_.end() && mine->second.fenced) to.join(*mine->second.fenced);
  }
  /// Whether it would release anything.
  bool releases(int thread, bool all) const {
    const auto mine = of_thread_.find(thread);
    return all || (mine != of_thread_.end() && mine->second.fenced);
  }
  /// `thread` takes what an object has: at once, or for its next fence.
  void acquire(int thread, const clock_view& clock, const void* object, bool at_once) {
    if (!clock) return;
    thread_order& order = of_thread_[thread];
    (at_once ? order.knows : order.seen).take(clock, object);
  }

 private:
  struct thread_order {
    taken_clock knows;
    taken_clock seen;  ///< by relaxed operations
    clock_view fenced; ///< what it knew at its last fence
  };

  /// Adds what `thread` knows and has done; then time goes on.
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
  taken_clock all_; ///< what all threads know
  std::unordered_map<int, thread_order> of_thread_;
};

} // namespace evenly::detail
