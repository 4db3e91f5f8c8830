// SPDX-License-Identifier: Apache-2.0
// Output of vectors and dense matrices: text, NumPy arrays, Matrix Market.
#pragma once

#include <complex>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "io/output_format.hpp"

namespace evenly::io {

/// The numbers of a vector, or of a matrix in either order.
template <class Value> struct dense_output {
  std::span<const Value> values; ///< rows * cols numbers
  std::int64_t rows = 0;
  std::int64_t cols = 1;
  bool is_vector = false;     ///< a NumPy array with one dimension; cols is 1
  bool columns_first = false; ///< column-major order, as in Fortran
  std::string_view head = {}; ///< for text: a comment before the first line, including its line end
};

template <class Value> dense_output<Value> vector_of(std::span<const Value> values) {
  return {.values = values, .rows = static_cast<std::int64_t>(values.size()), .is_vector = true};
}

/// Writes `a` to `path` with write_output, in the format of output_format_of(path, formats).
///
/// text: a line per row, with numbers separated by a blank. npy: version 1.0, `<i4`, `<i8`, `<f4`, `<f8` or `<c16`, in
/// the order of `a`. mtx: `array integer|real|complex general`. Real numbers have the fewest digits that give the same
/// bits when read. Complex numbers as text are written as mtx. Throws output_error.
///
/// Value: std::int32_t, std::int64_t, float, double or std::complex<double>.
template <class Value>
void write_dense(const std::filesystem::path& path, const output_formats& formats,
                 const dense_output<Value>& a);

/// The header of an array of NumPy of type `type` (`<f8`), version 1.0; the elements follow it.
std::string npy_head(std::string_view type, std::span<const std::int64_t> shape, bool columns_first = false);

/// The NumPy name of the type, such as `<f8`.
template <class Value> std::string npy_type();

/// Calls write_part(text), which appends to `text`, for each i in [0, count), and writes the text block by block. False
/// on failure, with errno set.
template <class WritePart>
bool write_text(std::FILE* file, std::string text, std::int64_t count, const WritePart& part) {
  constexpr std::size_t block = 1 << 16;
  const auto flush = [&] {
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    text.clear();
    return written;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    part(text, i);
    if (text.size() >= block && !flush()) return false;
  }
  return flush();
}

} // namespace evenly::io
