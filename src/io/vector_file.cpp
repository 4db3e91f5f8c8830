// SPDX-License-Identifier: Apache-2.0
#include "io/vector_file.hpp"

#include <cstddef>
#include <cstdio>
#include <iterator>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "io/chunked.hpp"
#include "io/errors.hpp"
#include "io/line_reader.hpp"
#include "io/memory_limits.hpp"
#include "io/output_file.hpp"

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

} // namespace

std::vector<double> read_vector(const fs::path& path) {
  line_reader lines{byte_source(path)};
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
  write_output(path, [&](std::FILE* file) { return write_numbers(file, values); });
}

} // namespace evenly::io
