// SPDX-License-Identifier: Apache-2.0
// trace: counts launches, barriers, parallel steps and operations of the simulated GPU, and the work of memory and
// storage for the accesses.
//
//   evenly::trace counts;
//   const evenly::simt exec({.trace = &counts});
//   ... launches on exec ...
//   const evenly::trace_counts seen = counts.totals();
//
//   evenly::trace counts(evenly::keep_profiles{});   // also by place in the source, by warp and block
//   for (const evenly::launch_profile& each : counts.take_profiles()) ...       (trace/profile.hpp)
//
// What is counted:
// * operations: applications of counted{op} in place of op (trace/counted.hpp)
// * accesses to storage, and atomic operations: all
// * accesses to memory: those through views, traced() (block/block.hpp) or counted memory
//   (execution/atomic.hpp)
//
// The measures are those of parallel algorithms on p processors: T steps, W operations, cost C = p T. Within a launch
// all blocks run at the same time, and so do all their threads between two barriers: there the j-th operations of all
// threads are one step. trace/detail/block_trace.hpp defines a request and its cost. If the threads of a kernel do the
// same in any order, its counts are the same for every seed and any number of operating-system threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "evenly/trace/counts.hpp"
#include "evenly/trace/profile.hpp"

namespace evenly {

/// Argument of the constructor of a trace that keeps profiles.
struct keep_profiles {};

/// The counts of all launches of one or more executors. A launch that throws adds nothing. Safe to use from several
/// operating-system threads. Must outlive the launches.
class trace {
 public:
  trace() = default;
  explicit trace(keep_profiles) : keeps_profiles_(true) {}

  trace_counts totals() const {
    const std::lock_guard lock(guard_);
    return totals_;
  }
  /// Returns the profiles of the launches since the last call, in the order in which they ended. Empty unless they are
  /// kept.
  std::vector<launch_profile> take_profiles() {
    const std::lock_guard lock(guard_);
    return std::exchange(profiles_, {});
  }

  bool keeps_profiles() const { return keeps_profiles_; }
  /// Called by executors, once per launch. The profile is ignored unless profiles are kept.
  void add(const trace_counts& launch, launch_profile profile = {}) {
    const std::lock_guard lock(guard_);
    totals_ += launch;
    if (keeps_profiles_) profiles_.push_back(std::move(profile));
  }

 private:
  bool keeps_profiles_ = false;
  mutable std::mutex guard_;
  trace_counts totals_;
  std::vector<launch_profile> profiles_;
};

} // namespace evenly
