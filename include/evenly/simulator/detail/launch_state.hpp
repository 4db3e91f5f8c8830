// SPDX-License-Identifier: Apache-2.0
// simt_launch_state: the data that operating-system threads share while they run the blocks of one launch.
//
// Blocks have positions in the order in which they begin. If some fail, the launch reports the failure with the lowest
// position, whichever came first: blocks of lower positions run to their end, those of higher ones do not begin. So the
// report depends only on the order. A block that gives up waiting ranks after all blocks that fail by themselves, since
// it may have waited for those.
#pragma once

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

#include "evenly/core/index.hpp"

namespace evenly::detail {

class simt_launch_state {
 public:
  std::atomic<bool> watched{false}; ///< a waiting block observes `progress`
  std::atomic<std::uint64_t> progress{0};

  int next_position() { return next_++; }

  /// Announces that the block at `position` has failed; note() follows with the exception.
  void announce(int position, bool stuck) { lower(stuck ? stuck_ : failed_, position); }
  void note(int position, bool stuck, std::exception_ptr why) {
    announce(position, stuck);
    const std::lock_guard lock(guard_);
    if (why_ && std::pair(stuck, position) > of_) return;
    of_ = {stuck, position};
    why_ = std::move(why);
  }

  /// Returns whether a failure of the block at `position` would not be reported.
  bool is_decided_before(int position) const { return position > smaller(failed_.load(), stuck_.load()); }
  bool has_failed() const { return failed_ != none; }
  bool has_stuck() const { return stuck_ != none; }

  void rethrow() const {
    if (why_) std::rethrow_exception(why_);
  }

 private:
  static constexpr int none = INT_MAX;

  static void lower(std::atomic<int>& min, int position) {
    int seen = min;
    while (position < seen && !min.compare_exchange_weak(seen, position)) {
    }
  }

  std::atomic<int> next_{0};
  std::atomic<int> failed_{none}; ///< lowest position of a block that failed on its own
  std::atomic<int> stuck_{none};  ///< lowest position of a block that gave up waiting
  std::mutex guard_;
  std::pair<bool, int> of_; ///< of why_: whether the block gave up waiting, and its position
  std::exception_ptr why_;
};

/// The time that a block waits for others.
class simt_patience {
 public:
  /// Returns whether no operating-system thread has made progress for `limit`, since the call with `begins`.
  bool is_over(simt_launch_state& launch, bool begins, std::chrono::duration<double> limit) {
    using clock = std::chrono::steady_clock;
    launch.watched = true;
    if (const std::uint64_t now = launch.progress; begins || now != progress_seen_) {
      progress_seen_ = now;
      since_ = clock::now();
    }
    return clock::now() - since_ > limit;
  }

 private:
  std::uint64_t progress_seen_ = 0;
  std::chrono::steady_clock::time_point since_;
};

} // namespace evenly::detail
