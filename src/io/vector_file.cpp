// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "evenly/io/read.hpp"
#include "io/chunked.hpp"
#include "io/errors.hpp"
#include "io/line_reader.hpp"
#include "io/memory_limits.hpp"
#include "io/npy.hpp"
#include "io/output_file.hpp"
#include "io/read_file.hpp"

namespace evenly::io {
namespace fs = std::filesystem;
namespace {

/// Writes all of `values` to `file`. False on failure, with errno set.
bool write_numbers(std::FILE* file, std::span<const double> values) {
  constexpr std::size_t block = 1 << 16;
  std::string text;
  for (const double value : values) {
    fmt::format_to(std::back_inserter(text), "{:.17g}\n", value);
    if (text.size() < block) continue;
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) return false;
    text.clear();
  }
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

/// A matrix of one row or column, with its zeros.
std::vector<double> read_line_of_matrix(known_file file) {
  const std::string name = file.source.name();
  const csr_matrix<double> a = read_matrix(std::move(file));
  if (a.rows != 1 && a.cols != 1)
    throw file_error(name, 0,
                     fmt::format("{} rows and {} columns: a vector has one of either", a.rows, a.cols));
  if (const auto shortage = memory_shortage(8 * std::int64_t{std::max(a.rows, a.cols)}))
    throw file_error(name, 0, fmt::format("{} numbers: {}", std::max(a.rows, a.cols), *shortage));
  std::vector<double> all(static_cast<std::size_t>(std::max(a.rows, a.cols)));
  for (int row = 0; row < a.rows; ++row)
    for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row) + 1]); ++k)
      all[static_cast<std::size_t>(std::max(row, a.columns[k]))] = a.values[k];
  return all;
}

} // namespace

std::vector<double> read_vector(const fs::path& path) {
  byte_source source(path);
  const auto format = format_by_content(source.peek(bytes_that_tell));
  if (format == file_format::npy) return read_npy_vector(std::move(source));
  if (format == file_format::matrix_market) return read_line_of_matrix({std::move(source), *format, path});
  if (format)
    throw file_error(
        source.name(), 0,
        fmt::format("{}: a vector is one number a line, .npy of NumPy or Matrix Market", name_of(*format)));
  line_reader lines(std::move(source));
  chunked<double> values;
  std::string_view line;
  try {
    while (lines.next_record(line, "%#")) {
      field_reader fields(lines, line);
      if (values.is_full())
        if (const auto shortage = memory_shortage(values.growth() + 8 * values.next_capacity()))
          lines.fail(fmt::format("{} numbers read: {}", values.size(), *shortage));
      values.push_back(fields.real("value"));
      fields.finish("value");
    }
  } catch (const std::bad_alloc&) {
    lines.fail("not enough memory for the numbers up to here");
  }
  if (lines.line_number() == 0) lines.fail("the file is empty: a vector is one number a line");
  return values.gather();
}

void write_vector(const fs::path& path, std::span<const double> values) {
  const bool as_text = path.extension() != ".npy";
  write_output(
      path, [&](std::FILE* file) { return as_text ? write_numbers(file, values) : write_npy(file, values); });
}

} // namespace evenly::io
