// SPDX-License-Identifier: Apache-2.0
// Points in space, with separate arrays of x, y and z, and their conversion to cells. Floating-point coordinates are
// fitted to their bounding box, whose longest edge has 2^21 cells: min(2^21 - 1, floor(2^21 (v - minimum) / side)),
// 0 if the side is 0. Integers are cells as they are, 0 to 2^21 - 1.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/spatial/morton.hpp"

namespace evenly::spatial {

template <class T>
concept coordinate = std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::uint32_t>;

/// A view of `count` points on an executor.
template <coordinate T> struct point_view {
  using value_type = T;
  const T* x;
  const T* y;
  const T* z;
  std::int64_t count;
};
/// A view of owners of one size that have data(), such as std::vector. Throws invalid_argument if the sizes differ.
template <class Array> auto points_of(const Array& x, const Array& y, const Array& z) {
  require(x.size() == y.size() && x.size() == z.size(), [&] {
    return "points have " + std::to_string(x.size()) + " x, " + std::to_string(y.size()) + " y and " +
           std::to_string(z.size()) + " z: the numbers must be equal";
  });
  using value = std::remove_cvref_t<decltype(*x.data())>;
  return point_view<value>{x.data(), y.data(), z.data(), static_cast<std::int64_t>(x.size())};
}

/// The cube of all cells, which converts coordinates to cells.
struct octree_box {
  double min[3] = {0, 0, 0};
  double side = octree_cells;

  /// The cell's coordinate on an axis, clamped to the grid. Not decreasing with the value.
  EVENLY_FN std::uint32_t cell(double value, int axis) const {
    if (!(side > 0)) return 0;
    const double at = (value - min[axis]) / side * octree_cells;
    return at >= octree_cells - 1 ? octree_cells - 1 : at > 0 ? static_cast<std::uint32_t>(at) : 0;
  }
};

} // namespace evenly::spatial

namespace evenly::detail {

template <class T> EVENLY_FN bool is_fitting(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return value - value == 0; // neither NaN nor infinite
  else
    return value < spatial::octree_cells;
}

/// *first: the smallest number of a point that does not fit.
template <class T> struct find_unfitting {
  spatial::point_view<T> points;
  std::int64_t per_block;
  std::int64_t* first;
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t begin = block.index() * per_block, end = smaller(begin + per_block, points.count);
    for (std::int64_t i = begin + block.rank(); i < end; i += block.size())
      if (!(is_fitting(points.x[i]) && is_fitting(points.y[i]) && is_fitting(points.z[i]))) {
        atomic_ref(*first).fetch_min(i, order::relaxed{});
        return;
      }
  }
};

template <class T> struct point_key {
  spatial::point_view<T> points;
  spatial::octree_box box;
  EVENLY_FN std::uint64_t operator()(std::int64_t i) const {
    if constexpr (std::is_floating_point_v<T>)
      return spatial::morton_key({box.cell(static_cast<double>(points.x[i]), 0),
                                  box.cell(static_cast<double>(points.y[i]), 1),
                                  box.cell(static_cast<double>(points.z[i]), 2)});
    else
      return spatial::morton_key({points.x[i], points.y[i], points.z[i]});
  }
};

template <class T, class Executor>
[[noreturn]] void refuse_point(const Executor& exec, const spatial::point_view<T>& points, std::int64_t at) {
  const char* const names[3] = {"x", "y", "z"};
  const T* const axes[3] = {points.x, points.y, points.z};
  std::string words;
  for (int a = 0; a < 3 && words.empty(); ++a) {
    T value{};
    exec.copy_to_host(&value, axes[a] + at, sizeof(T));
    if (is_fitting(value)) continue;
    std::string text = std::to_string(value);
    if constexpr (std::is_floating_point_v<T>) text = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    words = "point " + std::to_string(at) + " has " + names[a] + " = " + text +
            (std::is_floating_point_v<T> ? ": coordinates must be finite"
                                         : ": cells are numbered from 0 to 2097151");
  }
  throw invalid_argument(words);
}

} // namespace evenly::detail

namespace evenly::spatial {

/// The box of the points: the minimum of each axis, and the longest edge; for cells, the whole grid. Reads each
/// coordinate three times. Waits for the executor. Throws invalid_argument for a coordinate that is not finite or not a
/// cell, with the point's number, and if the longest edge is not finite.
template <class Executor, coordinate T>
octree_box fit_box(const Executor& exec, const point_view<T>& points) {
  constexpr int block_size = 256;
  require(points.count >= 0 && points.count < std::numeric_limits<int>::max(),
          [&] { return std::to_string(points.count) + " points: the number must be from 0 to 2147483646"; });
  octree_box box;
  if (points.count == 0) return box;
  const auto first = to_executor(exec, std::vector<std::int64_t>{points.count});
  const std::int64_t per_block = items_per_block(exec, points.count, 8 * block_size);
  launch(exec, {block_count(points.count, per_block), block_size},
         detail::find_unfitting<T>{points, per_block, first.data()});
  if (const std::int64_t at = to_host(exec, first).front(); at < points.count)
    detail::refuse_point(exec, points, at);
  if constexpr (std::is_floating_point_v<T>) {
    const T* const axes[3] = {points.x, points.y, points.z};
    box.side = 0;
    for (int a = 0; a < 3; ++a) {
      box.min[a] = static_cast<double>(reduce(exec, axes[a], points.count, minimum<T>{}));
      const auto max = static_cast<double>(reduce(exec, axes[a], points.count, maximum<T>{}));
      box.side = larger(box.side, max - box.min[a]);
    }
    require(std::isfinite(box.side),
            [] { return std::string("the extent of the points overflows a double: scale them"); });
  }
  return box;
}

} // namespace evenly::spatial

namespace evenly {

using spatial::point_view, spatial::points_of;

} // namespace evenly
