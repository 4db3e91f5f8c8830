// SPDX-License-Identifier: Apache-2.0 Writes a matrix as Matrix Market's `coordinate FIELD general`, row after row.
// FIELD follows from the type of the values: real, complex, integer or unsigned-integer; a pattern is written without
// values.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "io/progress.hpp"

namespace evenly::cli {

/// Value: a real number, std::complex<double>, std::int64_t or std::uint64_t.
template <class Value> class coordinate_writer {
  static constexpr bool is_complex = std::same_as<Value, std::complex<double>>;
  static constexpr std::string_view field = is_complex                      ? "complex"
                                            : std::unsigned_integral<Value> ? "unsigned-integer"
                                            : std::integral<Value>          ? "integer"
                                                                            : "real";

 public:
  /// shown: receives the number of rows that are written. is_pattern: values are left out.
  coordinate_writer(std::FILE* file, std::int64_t rows, std::int64_t cols, std::int64_t entries,
                    io::progress& shown, bool is_pattern = false)
      : file_(file), text_(fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                                       is_pattern ? "pattern" : field, rows, cols, entries)),
        shown_(shown), is_pattern_(is_pattern) {}

  /// The entries of rows from `first_row` on: offsets[i] - offsets[0] is where those of row first_row + i begin.
  /// Numbers have as many digits as it takes to read the same bits.
  template <class Offset>
  void add(std::int64_t first_row, std::span<const Offset> offsets, std::span<const int> columns,
           std::span<const Value> values) {
    constexpr std::size_t block = 1 << 16;
    for (std::size_t r = 0; r + 1 < offsets.size() && good_; ++r) {
      for (Offset k = offsets[r] - offsets[0]; k < offsets[r + 1] - offsets[0]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        fmt::format_to(std::back_inserter(text_), "{} {}", first_row + static_cast<std::int64_t>(r) + 1,
                       columns[at] + 1);
        if (!is_pattern_) append(values[at]);
        text_ += '\n';
        if (text_.size() < block) continue;
        flush();
        shown_.at(first_row + static_cast<std::int64_t>(r));
      }
    }
  }
  /// Whether all was written; else errno says why.
  bool finish() {
    flush();
    return good_ && std::fflush(file_) == 0;
  }

 private:
  void append(const Value& value) {
    if constexpr (is_complex)
      fmt::format_to(std::back_inserter(text_), " {} {}", value.real(), value.imag());
    else
      fmt::format_to(std::back_inserter(text_), " {}", value);
  }
  void flush() {
    good_ = good_ && std::fwrite(text_.data(), 1, text_.size(), file_) == text_.size();
    text_.clear();
  }

  std::FILE* file_;
  std::string text_;
  io::progress& shown_;
  bool is_pattern_;
  bool good_ = true;
};

} // namespace evenly::cli
