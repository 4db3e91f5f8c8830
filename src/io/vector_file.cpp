// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "evenly/io/read.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "host/remarks.hpp"
#include "io/chunked.hpp"
#include "io/dense_output.hpp"
#include "io/npy.hpp"
#include "io/read_file.hpp"
#include "io/text_blocks.hpp"
#include "io/vector_file.hpp"

namespace evenly::io {
namespace fs = std::filesystem;
namespace {

/// A matrix of one row or column, with its zeros.
template <class Value>
std::vector<Value> line_of_matrix(const csr_matrix<Value>& a, const std::string& name) {
  if (a.rows != 1 && a.cols != 1)
    throw file_error(
        name, 0, fmt::format("{} rows and {} columns: a vector has one row or one column", a.rows, a.cols));
  if (const auto shortage =
          host::memory_shortage(static_cast<std::int64_t>(sizeof(Value)) * std::max(a.rows, a.cols)))
    throw file_error(name, 0, fmt::format("{} numbers: {}", std::max(a.rows, a.cols), *shortage));
  std::vector<Value> all(static_cast<std::size_t>(std::max(a.rows, a.cols)));
  for (int row = 0; row < a.rows; ++row)
    for (auto k = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(row) + 1]); ++k)
      all[static_cast<std::size_t>(std::max(row, a.columns[k]))] = a.values[k];
  return all;
}

/// Whether a number is an integer that a double cannot represent: all digits, and too many.
bool is_inexact_integer(std::string_view text, double value) {
  constexpr std::size_t exact_digits = 15; // every double holds these
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  if (text.size() <= exact_digits || !std::isfinite(value)) return false;
  return text.find_first_not_of("0123456789") == std::string_view::npos &&
         fmt::format("{:.0f}", std::abs(value)) != text;
}

constexpr std::size_t line_block = 1 << 18; // bytes; one thread parses the lines, which stay in its cache

/// Reads numbers, one per line.
class number_reader {
 public:
  explicit number_reader(text_blocks& lines) : lines_(lines) {}

  std::vector<double> read() {
    for (std::string_view line; lines_.next_record(line, comments);) {
      if (values_.is_full())
        if (const auto shortage = host::memory_shortage(values_.growth() + 8 * values_.next_capacity()))
          lines_.fail(fmt::format("{} numbers read: {}", values_.size(), *shortage));
      values_.push_back(take(line));
    }
    if (lines_.line_number() == 0) lines_.fail("the file is empty: a vector has one number per line");
    say(beyond_, host::beyond_range);
    say(inexact_, host::beyond_exact_integers);
    return values_.gather();
  }

 private:
  static constexpr std::string_view comments = "%#";

  /// The number on a line, by a fast path for lines of one plain number.
  double take(std::string_view line) {
    double value = 0;
    const char* at = line.data();
    const char* const end = at + line.size(); // a blank or the line end follows
    if (take_real(at, end, value) && at == end) {
      if (is_inexact_integer(line, value)) note(inexact_, line);
      return value;
    }
    field_reader fields(lines_, line);
    std::string_view rounded;
    value = fields.rounded_real("value", rounded);
    const std::string_view text(line.data(), line.size() - fields.rest().size());
    fields.finish("value", comments);
    if (!rounded.empty()) note(beyond_, rounded);
    if (is_inexact_integer(text, value)) note(inexact_, text);
    return value;
  }

  void note(host::remark& kind, std::string_view text) const {
    if (kind.count++ == 0) kind = {1, lines_.line_number(), std::string(text)};
  }
  void say(const host::remark& kind, std::string_view rule) const {
    if (kind.count > 0)
      host::print_remark(fmt::format("{}:{}: {}", lines_.name(), kind.line, host::value_remark(kind, rule)));
  }

  text_blocks& lines_;
  chunked<double> values_;
  host::remark beyond_;
  host::remark inexact_;
};

any_vector read_from(byte_source source) {
  const auto format = format_by_content(source.peek(sniffed_bytes));
  if (format == file_format::npy) return read_npy_vector(std::move(source));
  if (format == file_format::matrix_market) {
    const std::string name = source.name();
    return std::visit([&](const auto& a) -> any_vector { return line_of_matrix(a, name); },
                      read_any_matrix(std::move(source)));
  }
  if (format)
    throw file_error(source.name(), 0,
                     fmt::format("{}: a vector must be a text of one number per line, .npy or Matrix Market",
                                 name_of(*format)));
  text_blocks lines(std::move(source), line_block);
  try {
    return number_reader(lines).read();
  } catch (const std::bad_alloc&) {
    lines.fail("not enough memory for the numbers up to here");
  }
}

} // namespace

any_vector read_any_vector(const fs::path& path) { return read_from(byte_source(path)); }

std::vector<double> read_vector(const fs::path& path) {
  any_vector read = read_any_vector(path);
  if (auto* const real = std::get_if<std::vector<double>>(&read)) return std::move(*real);
  throw file_error(host::printable(path.native()), 0, "the values are complex, but must be real");
}

void write_complex_vector(const fs::path& path, std::span<const std::complex<double>> values) {
  write_dense(path, vector_output, vector_of(values));
}

void write_vector(const fs::path& path, std::span<const double> values) {
  write_dense(path, vector_output, vector_of(values));
}

} // namespace evenly::io
