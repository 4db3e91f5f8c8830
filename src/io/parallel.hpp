// SPDX-License-Identifier: Apache-2.0
// Making inputs in parallel, on the library's own cpu executor.
#pragma once

#include <algorithm>
#include <cstdint>

#include "evenly/execution/cpu.hpp"

namespace evenly::io {

/// Calls body(begin, end) for consecutive ranges that make up [0, count), several at a time, in any order.
/// Rethrows what a call threw. A body that treats each index alike, wherever the ranges end, gives the same
/// result always.
template <class Body> void for_each_range(std::int64_t count, const Body& body) {
  constexpr std::int64_t most_ranges = 256; // enough to even out ranges of unequal work on tens of cores
  const std::int64_t ranges = std::min(count, most_ranges);
  launch(cpu{}, {.blocks = static_cast<int>(ranges)}, [&](const auto& block) {
    body(count * block.index() / ranges, count * (block.index() + 1) / ranges);
  });
}

} // namespace evenly::io
