// SPDX-License-Identifier: Apache-2.0
// What the simulated GPU counts: launches, barriers, parallel steps and operations, and what memory and storage would
// have had to do for the accesses.
//
//   evenly::trace counts;
//   const evenly::simt exec({.trace = &counts});
//   ... launches on exec ...
//   const evenly::trace_counts seen = counts.totals();
//
// Operations are what a kernel says they are: it takes counted{op} for op (trace/counted.hpp). Accesses to storage are
// seen as they are, those to memory where they go through traced() (block/memory_view.hpp) or are counted
// (trace/counted_memory.hpp), all atomic operations.
//
//   evenly::trace counts(evenly::keep_profiles{});   // also by place in the source, by warp and block
//   for (const evenly::launch_profile& each : counts.take_profiles()) ...       (trace/profile.hpp)
//
// The measures are those of parallel algorithms on p processors: T steps, W operations, cost C = p T. Within a launch
// all blocks run at the same time, and between two barriers all their threads do: there the j-th operation of every
// thread is one step. trace/detail/requests.hpp says what a request is, and what it costs. The counts of a kernel whose
// threads do the same in any order are the same for every seed and any number of operating-system threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "evenly/trace/counts.hpp"
#include "evenly/trace/profile.hpp"

namespace evenly {

/// For the constructor of a trace.
struct keep_profiles {};

/// Adds up what the launches of one or more executors count. A launch that throws adds nothing. Safe to use from
/// several operating-system threads; outlives the launches.
class trace {
 public:
  trace() = default;
  explicit trace(keep_profiles) : keeps_profiles_(true) {}

  trace_counts totals() const {
    const std::lock_guard lock(guard_);
    return totals_;
  }
  /// The profiles of the launches since the last call, in the order in which they ended; none unless they are kept.
  std::vector<launch_profile> take_profiles() {
    const std::lock_guard lock(guard_);
    return std::exchange(profiles_, {});
  }

  bool keeps_profiles() const { return keeps_profiles_; }
  /// Called by executors, once a launch; its profile counts where profiles are kept.
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
