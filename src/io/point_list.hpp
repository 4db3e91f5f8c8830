// SPDX-License-Identifier: Apache-2.0
// The points of a file while it is read: all readers of points add to this list.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "evenly/io/read.hpp"
#include "host/memory_limits.hpp"
#include "io/chunked.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {

inline constexpr std::array<const char*, 3> axes{"x", "y", "z"};

class point_list {
 public:
  /// Fails at `place` if memory is short or a coordinate is not finite.
  void push_back(const line_place& place, const std::array<double, 3>& point) {
    for (std::size_t i = 0; i < 3; ++i)
      if (!std::isfinite(point[i])) place.fail(fmt::format("{} is {}: it must be finite", axes[i], point[i]));
    if (kept_.is_full())
      if (const auto shortage = host::memory_shortage(kept_.growth() + 24 * kept_.next_capacity()))
        place.fail(fmt::format("{} points read: {}", kept_.size(), *shortage));
    kept_.push_back(point);
  }

  point_set take() {
    point_set points;
    for (auto* axis : {&points.x, &points.y, &points.z}) axis->reserve(kept_.size());
    kept_.for_each([&](const std::array<double, 3>& p) {
      points.x.push_back(p[0]);
      points.y.push_back(p[1]);
      points.z.push_back(p[2]);
    });
    return points;
  }

 private:
  chunked<std::array<double, 3>> kept_;
};

} // namespace evenly::io
