// SPDX-License-Identifier: Apache-2.0
// Helpers for schedules with groups of a size given at run time.
#pragma once

#include <string>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"

namespace evenly {

/// Throws invalid_argument if groups cannot have that many threads.
inline void require_group(int group) {
  require(group >= 1 && group <= max_block_size, [&] {
    return detail::concat("group = ", group, ": a group has 1 to ", max_block_size, " threads");
  });
}

/// Returns the shape of a block of `block_size` threads on `exec`.
template <class Executor> block_shape shape_of_block(const Executor& exec, int block_size) {
  if constexpr (Executor::serial_blocks)
    return {1, 1};
  else
    return exec.shape_of(block_size);
}

} // namespace evenly
