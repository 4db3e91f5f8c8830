// SPDX-License-Identifier: Apache-2.0
// The points of a file while it is read: all readers of points add to this list.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "evenly/io/read.hpp"
#include "host/memory_limits.hpp"
#include "host/remarks.hpp"
#include "io/byte_source.hpp"
#include "io/chunked.hpp"
#include "io/points.hpp"
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

// A reader for each format of points. All throw file_error like read_points, and none skips a byte-order mark.

/// The element `vertex`. All elements are read, so that their counts are checked.
point_set read_ply(byte_source source);

/// The statements `v`; all others are ignored.
point_set read_obj(byte_source source);

/// Points or atoms, one per line. `frame`: as in read_options. `box`: receives that of extended XYZ.
point_set read_xyz(byte_source source, int frame, point_box& box);

/// Fields x, y and z. Points with a NaN are missing: they are dropped, and `say` receives their number.
point_set read_pcd(byte_source source, const host::remark_handler& say);

/// A .npy array of shape (N, 3).
point_set read_point_array(byte_source source);

} // namespace evenly::io
