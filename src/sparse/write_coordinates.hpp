// SPDX-License-Identifier: Apache-2.0
// Writes a matrix as Matrix Market's `coordinate real general` or `coordinate complex general`, row after row.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <span>
#include <string>

#include <fmt/format.h>

#include "io/progress.hpp"

namespace evenly::cli {

/// Value: a real number, or std::complex<double>.
template <class Value> class coordinate_writer {
  static constexpr bool is_complex = std::same_as<Value, std::complex<double>>;

 public:
  /// shown: is told how many rows are done.
  coordinate_writer(std::FILE* file, std::int64_t rows, std::int64_t cols, std::int64_t entries,
                    io::progress& shown)
      : file_(file), text_(fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                                       is_complex ? "complex" : "real", rows, cols, entries)),
        shown_(shown) {}

  /// The entries of rows from `first_row` on: offsets[i] - offsets[0] is where those of row first_row + i begin.
  /// Numbers have as many digits as it takes to read the same bits.
  template <class Offset>
  void add(std::int64_t first_row, std::span<const Offset> offsets, std::span<const int> columns,
           std::span<const Value> values) {
    constexpr std::size_t block = 1 << 16;
    for (std::size_t r = 0; r + 1 < offsets.size() && good_; ++r) {
      for (Offset k = offsets[r] - offsets[0]; k < offsets[r + 1] - offsets[0]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        fmt::format_to(std::back_inserter(text_), "{} {} ", first_row + static_cast<std::int64_t>(r) + 1,
                       columns[at] + 1);
        if constexpr (is_complex)
          fmt::format_to(std::back_inserter(text_), "{} {}\n", values[at].real(), values[at].imag());
        else
          fmt::format_to(std::back_inserter(text_), "{}\n", values[at]);
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
  void flush() {
    good_ = good_ && std::fwrite(text_.data(), 1, text_.size(), file_) == text_.size();
    text_.clear();
  }

  std::FILE* file_;
  std::string text_;
  io::progress& shown_;
  bool good_ = true;
};

} // namespace evenly::cli
