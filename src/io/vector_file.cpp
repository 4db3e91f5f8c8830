// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "evenly/io/read.hpp"
#include "io/chunked.hpp"
#include "io/dense_output.hpp"
#include "io/errors.hpp"
#include "io/line_reader.hpp"
#include "io/memory_limits.hpp"
#include "io/npy.hpp"
#include "io/read_file.hpp"
#include "io/vector_file.hpp"

namespace evenly::io {
namespace fs = std::filesystem;
namespace {

/// A matrix of one row or column, with its zeros.
template <class Value>
std::vector<Value> line_of_matrix(const csr_matrix<Value>& a, const std::string& name) {
  if (a.rows != 1 && a.cols != 1)
    throw file_error(name, 0,
                     fmt::format("{} rows and {} columns: a vector has one of either", a.rows, a.cols));
  if (const auto shortage =
          memory_shortage(static_cast<std::int64_t>(sizeof(Value)) * std::max(a.rows, a.cols)))
    throw file_error(name, 0, fmt::format("{} numbers: {}", std::max(a.rows, a.cols), *shortage));
  std::vector<Value> all(static_cast<std::size_t>(std::max(a.rows, a.cols)));
  for (int row = 0; row < a.rows; ++row)
    for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row) + 1]); ++k)
      all[static_cast<std::size_t>(std::max(row, a.columns[k]))] = a.values[k];
  return all;
}

any_vector read_from(byte_source source) {
  const auto format = format_by_content(source.peek(bytes_that_tell));
  if (format == file_format::npy) return read_npy_vector(std::move(source));
  if (format == file_format::matrix_market) {
    const std::string name = source.name();
    return std::visit([&](const auto& a) -> any_vector { return line_of_matrix(a, name); },
                      read_any_matrix(std::move(source)));
  }
  if (format)
    throw file_error(
        source.name(), 0,
        fmt::format("{}: a vector is one number a line, .npy of NumPy or Matrix Market", name_of(*format)));
  const std::string name = source.name();
  line_reader lines(std::move(source));
  chunked<double> values;
  std::string_view line;
  std::string_view rounded;
  remark beyond;
  try {
    while (lines.next_record(line, "%#")) {
      field_reader fields(lines, line);
      if (values.is_full())
        if (const auto shortage = memory_shortage(values.growth() + 8 * values.next_capacity()))
          lines.fail(fmt::format("{} numbers read: {}", values.size(), *shortage));
      values.push_back(fields.rounded_real("value", rounded));
      fields.finish("value");
      if (rounded.empty()) continue;
      if (beyond.count++ == 0) beyond = {1, lines.line_number(), std::string(rounded)};
      rounded = {};
    }
  } catch (const std::bad_alloc&) {
    lines.fail("not enough memory for the numbers up to here");
  }
  if (lines.line_number() == 0) lines.fail("the file is empty: a vector is one number a line");
  if (beyond.count > 0)
    print_remark(fmt::format(
        "{}:{}: the value is {}{}, beyond the range of a double: read as infinity or zero", name, beyond.line,
        in_quotes(beyond.text), beyond.count > 1 ? fmt::format(", and {} more", beyond.count - 1) : ""));
  return values.gather();
}

} // namespace

any_vector read_any_vector(const fs::path& path) { return read_from(byte_source(path)); }

std::vector<double> read_vector(const fs::path& path) {
  any_vector read = read_any_vector(path);
  if (auto* const real = std::get_if<std::vector<double>>(&read)) return std::move(*real);
  throw file_error(printable(path.native()), 0, "the values are complex, and real ones are asked for");
}

void write_complex_vector(const fs::path& path, std::span<const std::complex<double>> values) {
  write_dense(path, vector_output, vector_of(values));
}

void write_vector(const fs::path& path, std::span<const double> values) {
  write_dense(path, vector_output, vector_of(values));
}

} // namespace evenly::io
