// SPDX-License-Identifier: Apache-2.0
// Output of sparse matrices, row by row: Matrix Market `coordinate`, and SciPy's .npz archives (csr).
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/progress.hpp"
#include "io/archives.hpp"
#include "io/dense_output.hpp"
#include "io/output_file.hpp"
#include "io/output_format.hpp"

namespace evenly::io {

/// The value of each entry of a pattern.
struct pattern_value {};

/// Consecutive rows of a matrix. The entries of row first_row + i are [offsets[i] - offsets[0],
/// offsets[i + 1] - offsets[0]).
template <class Value, class Offset> struct output_rows {
  std::int64_t first_row = 0;
  std::span<const Offset> offsets;
  std::span<const int> columns;
  std::span<const Value> values; ///< empty for a pattern
};

/// The sizes of a matrix, known before its rows.
struct sparse_sizes {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;
};

namespace detail {

template <class Value> std::string_view market_field() {
  if constexpr (std::same_as<Value, pattern_value>) return "pattern";
  if constexpr (std::same_as<Value, std::complex<double>>) return "complex";
  if constexpr (std::unsigned_integral<Value>) return "unsigned-integer";
  if constexpr (std::integral<Value>) return "integer";
  return "real";
}

/// Writes text to a file, block by block.
class text_output {
 public:
  text_output(std::FILE* file, std::string text) : file_(file), text_(std::move(text)) {}
  std::string& text() { return text_; }
  void flush_if_long() {
    if (text_.size() >= std::size_t{1} << 16) flush();
  }
  void flush() {
    good_ = good_ && std::fwrite(text_.data(), 1, text_.size(), file_) == text_.size();
    text_.clear();
  }
  bool good() const { return good_; }

 private:
  std::FILE* file_;
  std::string text_;
  bool good_ = true;
};

template <class Value, class Offset>
void append_entries(text_output& to, const output_rows<Value, Offset>& part, host::progress& shown) {
  for (std::size_t r = 0; r + 1 < part.offsets.size() && to.good(); ++r) {
    for (Offset k = part.offsets[r] - part.offsets[0]; k < part.offsets[r + 1] - part.offsets[0]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto out = std::back_inserter(to.text());
      fmt::format_to(out, "{} {}", part.first_row + static_cast<std::int64_t>(r) + 1, part.columns[at] + 1);
      if constexpr (std::same_as<Value, std::complex<double>>)
        fmt::format_to(out, " {} {}\n", part.values[at].real(), part.values[at].imag());
      else if constexpr (std::same_as<Value, pattern_value>)
        to.text() += '\n';
      else
        fmt::format_to(out, " {}\n", part.values[at]);
      to.flush_if_long();
    }
    shown.at(part.first_row + static_cast<std::int64_t>(r) + 1);
  }
}

template <class Value, class Offset, class VisitRows>
bool write_market(std::FILE* file, const sparse_sizes& sizes, host::progress& shown,
                  const VisitRows& visit_rows) {
  text_output to(file, fmt::format("%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                                   market_field<Value>(), sizes.rows, sizes.cols, sizes.entries));
  visit_rows([&](const output_rows<Value, Offset>& part) { append_entries(to, part, shown); });
  to.flush();
  return to.good() && std::fflush(file) == 0;
}

template <class T> std::string_view bytes_of(std::span<const T> elements) {
  return {reinterpret_cast<const char*>(elements.data()), elements.size_bytes()};
}

template <class Value, class Offset> std::size_t entries_of(const output_rows<Value, Offset>& part) {
  return static_cast<std::size_t>(part.offsets.back() - part.offsets.front());
}

/// Offsets have 32 bits if they fit, as in SciPy.
template <class Value, class Offset, class VisitRows>
bool write_npz(std::FILE* file, const sparse_sizes& sizes, host::progress& shown,
               const VisitRows& visit_rows) {
  using stored = std::conditional_t<std::same_as<Value, pattern_value>, bool, Value>;
  zip_writer to(file);
  const auto begin = [&](const char* member, const std::string& type,
                         std::initializer_list<std::int64_t> shape, std::int64_t bytes) {
    const std::string head = npy_head(type, std::span(shape.begin(), shape.size()));
    to.begin(member, head.size() + static_cast<std::uint64_t>(bytes));
    to.write(head);
  };
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(static_cast<std::size_t>(sizes.rows) + 1);
  begin("indices.npy", npy_type<std::int32_t>(), {sizes.entries}, 4 * sizes.entries);
  visit_rows([&](const output_rows<Value, Offset>& part) {
    for (std::size_t r = 0; r + 1 < part.offsets.size(); ++r)
      offsets.push_back(offsets.back() + static_cast<std::int64_t>(part.offsets[r + 1] - part.offsets[r]));
    to.write(bytes_of(part.columns.first(entries_of(part))));
    shown.at(std::ssize(offsets) - 1);
  });
  begin("data.npy", npy_type<stored>(), {sizes.entries}, std::int64_t{sizeof(stored)} * sizes.entries);
  if constexpr (std::same_as<Value, pattern_value>) {
    const std::string ones(1 << 16, '\1');
    for (std::int64_t left = sizes.entries; left > 0; left -= std::ssize(ones))
      to.write(std::string_view(ones).substr(0, static_cast<std::size_t>(left)));
  } else {
    visit_rows([&](const output_rows<Value, Offset>& part) {
      to.write(bytes_of(part.values.first(entries_of(part))));
    });
  }
  if (sizes.entries <= std::int64_t{0x7fffffff}) {
    const std::vector<std::int32_t> narrow(offsets.begin(), offsets.end());
    begin("indptr.npy", npy_type<std::int32_t>(), {std::ssize(narrow)}, 4 * std::ssize(narrow));
    to.write(bytes_of(std::span<const std::int32_t>(narrow)));
  } else {
    begin("indptr.npy", npy_type<std::int64_t>(), {std::ssize(offsets)}, 8 * std::ssize(offsets));
    to.write(bytes_of(std::span<const std::int64_t>(offsets)));
  }
  begin("format.npy", "|S3", {}, 3);
  to.write("csr");
  begin("shape.npy", npy_type<std::int64_t>(), {2}, 2 * sizeof(std::int64_t));
  const std::array<std::int64_t, 2> shape{sizes.rows, sizes.cols};
  to.write(bytes_of(std::span<const std::int64_t>(shape)));
  return to.finish();
}

} // namespace detail

/// Writes a matrix to `path` with write_output, in the format of the ending: mtx (`coordinate FIELD general`, with the
/// field of the value type) or npz. visit_rows(write) calls write(output_rows<Value, Offset>) for all rows in order;
/// for npz it is called twice. Real numbers have the fewest digits that give the same bits when read. Throws
/// output_error.
///
/// Value: float, double, std::complex<double>, std::int64_t, std::uint64_t, or pattern_value.
template <class Value, class Offset, class VisitRows>
void write_sparse(const std::filesystem::path& path, const sparse_sizes& sizes, host::progress& shown,
                  const VisitRows& visit_rows) {
  const bool as_npz = output_format_of(path, sparse_matrix_output) == output_format::npz;
  write_output(path, [&](std::FILE* file) {
    return as_npz ? detail::write_npz<Value, Offset>(file, sizes, shown, visit_rows)
                  : detail::write_market<Value, Offset>(file, sizes, shown, visit_rows);
  });
}

} // namespace evenly::io
