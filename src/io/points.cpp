// SPDX-License-Identifier: Apache-2.0
#include "io/points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/npy.hpp"
#include "io/point_list.hpp"
#include "io/text_blocks.hpp"

namespace evenly::io {
namespace {

/// The byte-order mark that editors on Windows write.
void skip_byte_order_mark(byte_source& source) {
  std::array<char, 3> mark{};
  if (source.peek(mark.size()).size() == mark.size() &&
      without_byte_order_mark(source.peek(mark.size())).empty())
    source.read(mark.data(), mark.size());
}

point_set read_any(byte_source source, file_format format, int frame, const host::remark_handler& say,
                   point_box& box) {
  if (format == file_format::npy) return read_point_array(std::move(source));
  skip_byte_order_mark(source);
  switch (format) {
  case file_format::ply:
    return read_ply(std::move(source));
  case file_format::obj:
    return read_obj(std::move(source));
  case file_format::pcd:
    return read_pcd(std::move(source), say);
  default:
    return read_xyz(std::move(source), frame, box);
  }
}

} // namespace

point_set read_points(byte_source source, file_format format, int frame, const host::remark_handler& say,
                      point_box* box) {
  const std::string name = source.name();
  point_box unused;
  try {
    return read_any(std::move(source), format, frame, say, box == nullptr ? unused : *box);
  } catch (const std::bad_alloc&) {
    throw file_error(name, 0, "not enough memory for the points");
  }
}

point_set read_point_array(byte_source source) {
  array_bytes from(std::move(source));
  const npy_header header = read_npy_header(from);
  if (header.shape.size() != 2 || header.shape[1] != 3)
    from.fail(fmt::format("an array of shape {}: points have three coordinates, so the shape must be (N, 3)",
                          header.shape_text()));
  const auto count = static_cast<std::size_t>(header.shape[0]);
  const std::vector<double> values = npy_values(from, header);
  if (const auto shortage = host::memory_shortage(24 * header.shape[0]))
    from.fail(fmt::format("{} points: {}", count, *shortage));
  point_set points;
  const std::array to{&points.x, &points.y, &points.z};
  for (auto* axis : to) axis->reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const double value = values[header.columns_first ? k * count + i : 3 * i + k];
      if (!std::isfinite(value))
        from.fail(fmt::format("row {}: {} is {}: it must be finite", i, axes[k], value));
      to[k]->push_back(value);
    }
  return points;
}

bounding_box box_of(const point_set& points) {
  bounding_box box;
  const std::array<const std::vector<double>*, 3> all{&points.x, &points.y, &points.z};
  for (std::size_t i = 0; i < 3 && points.size() > 0; ++i) {
    const auto [min, max] = std::ranges::minmax(*all[i]);
    box.min[i] = min;
    box.max[i] = max;
  }
  return box;
}

} // namespace evenly::io
