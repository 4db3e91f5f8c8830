// SPDX-License-Identifier: Apache-2.0
// growing_backoff: a waiting loop that polls after growing pauses, doubled up to a limit. Many waiting threads then do
// not keep the cache line of a word from the threads that change it.
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
  /// Pauses from `min` to `max` nanoseconds on a GPU; on other executors other threads run for as long as they like.
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
