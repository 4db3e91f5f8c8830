// SPDX-License-Identifier: Apache-2.0
// A back-off that grows: whoever waits in vain looks again after twice the time, up to a limit, so that many who wait
// for one word do not keep its line from those who change it.
//
//   for (growing_backoff pause; !has_come(); pause.wait(block)) {}
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

class growing_backoff {
 public:
  /// From `min` to `max` nanoseconds on a GPU; elsewhere others go on for as long as they like.
  EVENLY_FN explicit growing_backoff(std::uint32_t min = 32, std::uint32_t max = 1024)
      : now_(min), max_(max) {}

  /// One turn. Each thread for itself.
  template <class Block> EVENLY_FN void wait(Block& block) {
    block.backoff(now_);
    now_ = smaller(2 * now_, max_);
  }

 private:
  std::uint32_t now_;
  std::uint32_t max_;
};

} // namespace evenly
