// SPDX-License-Identifier: Apache-2.0
#include "host/parallel.hpp"

#include <algorithm>

#include "evenly/execution/cpu.hpp"

namespace evenly::host {

void for_each_range(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body) {
  constexpr std::int64_t max_ranges = 256; // balances ranges of unequal work on tens of cores
  const std::int64_t ranges = std::min(count, max_ranges);
  launch(cpu{}, {.blocks = static_cast<int>(ranges)}, [&](const auto& block) {
    body(count * block.index() / ranges, count * (block.index() + 1) / ranges);
  });
}

} // namespace evenly::host
