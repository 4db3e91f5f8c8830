// SPDX-License-Identifier: Apache-2.0
// A view of a dense matrix for kernels: by rows or by columns, with any distance between them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// What is contiguous in memory.
enum class dense_layout { rows, columns };

/// A view in the memory of an executor; owns nothing. Element (row, column) is data[row * leading + column] by rows,
/// and data[column * leading + row] by columns. `leading` is the distance of two rows, or of two columns.
template <class Value> struct dense_view {
  int rows = 0;
  int cols = 0;
  Value* data = nullptr;
  std::int64_t leading = 0;
  dense_layout layout = dense_layout::rows;

  template <class To>
  requires(std::is_same_v<To, const Value> && !std::is_const_v<Value>)
  operator dense_view<To>() const {
    return {rows, cols, data, leading, layout};
  }
  /// The number of lines (rows or columns), and the size of a line.
  int lines() const { return layout == dense_layout::rows ? rows : cols; }
  int line_size() const { return layout == dense_layout::rows ? cols : rows; }
  /// The distance from the first element to the end of the last one.
  std::int64_t extent() const {
    return rows == 0 || cols == 0 ? 0 : (std::int64_t{lines()} - 1) * leading + line_size();
  }
  /// Columns [first, first + count). If the view is empty, data may be null and stays null.
  dense_view columns(int first, int count) const {
    const std::int64_t place = extent() == 0 ? 0 : first * (layout == dense_layout::rows ? 1 : leading);
    return {rows, count, data + place, leading, layout};
  }
};

/// A view of contiguous rows, or of contiguous columns.
template <class Value> dense_view<Value> dense_rows(int rows, int cols, Value* data) {
  return {rows, cols, data, cols, dense_layout::rows};
}
template <class Value> dense_view<Value> dense_columns(int rows, int cols, Value* data) {
  return {rows, cols, data, rows, dense_layout::columns};
}

static_assert(std::is_trivially_copyable_v<dense_view<float>>);

} // namespace evenly
