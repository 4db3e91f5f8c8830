// SPDX-License-Identifier: Apache-2.0
// What the operating-system threads that run blocks of one launch tell each other.
//
// Blocks have positions in the order in which they are begun. When some fail, the launch reports the failure of the
// least position, whichever came first: blocks of lower positions run to their end, those of higher ones are not begun.
// So the report depends on the order only. A block that gives up waiting for others comes after all that fail by
// themselves, for it may have waited for those.
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
  std::atomic<bool> watched{false}; ///< some block spins and wants to know whether there is progress
  std::atomic<std::uint64_t> progress{0};

  int next_position() { return next_++; }

  /// The block at `position` has failed, `why` will follow.
  void announce(int position, bool stuck) { lower(stuck ? stuck_ : failed_, position); }
  void note(int position, bool stuck, std::exception_ptr why) {
    announce(position, stuck);
    const std::lock_guard lock(guard_);
    if (why_ && std::pair(stuck, position) > of_) return;
    of_ = {stuck, position};
    why_ = std::move(why);
  }

  /// Whether a failure of the block at `position` would not be reported.
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
  std::atomic<int> failed_{none}; ///< the least position of a block that has failed by itself
  std::atomic<int> stuck_{none};  ///< of one that has given up waiting
  std::mutex guard_;
  std::pair<bool, int> of_; ///< why_: whether it is of one that was stuck, and its position
  std::exception_ptr why_;
};

/// Of a block that waits for others.
class simt_patience {
 public:
  /// Whether no operating-system thread has made progress for `limit` since it was first asked, with `begins`.
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
