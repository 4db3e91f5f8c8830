// SPDX-License-Identifier: Apache-2.0
// growing_backoff: pauses for a waiting loop, doubled after each poll up to a limit. Thus many polling threads do not
// slow down the thread that changes the polled word.
//
//   for (growing_backoff pause; !has_come(); pause.wait(block)) {}
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

/// The pauses of one waiting thread.
class growing_backoff {
 public:
  /// On a GPU, pauses of `min` to `max` nanoseconds. On other executors a pause lets other threads run, and has no set
  /// length.
  EVENLY_FN explicit growing_backoff(std::uint32_t min = 32, std::uint32_t max = 1024)
      : now_(min), max_(max) {}

  /// Waits once. Each thread calls it independently.
  template <class Block> EVENLY_FN void wait(Block& block) {
    block.backoff(now_);
    now_ = smaller(2 * now_, max_);
  }

 private:
  std::uint32_t now_;
  std::uint32_t max_;
};

} // namespace evenly
