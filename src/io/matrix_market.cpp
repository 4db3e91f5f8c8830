// SPDX-License-Identifier: Apache-2.0
#include "io/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "io/byte_source.hpp"
#include "io/errors.hpp"
#include "io/line_reader.hpp"

namespace evenly::io {
namespace {

enum class field { real, integer, pattern };
enum class symmetry { general, symmetric, skew };

struct header {
  field values = field::real;
  symmetry storage = symmetry::general;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;   ///< announced
  std::int64_t size_line = 0; ///< the line that announced them
};

struct entry {
  int row; ///< 0-based, like col
  int col;
  double value;
};

constexpr std::string_view comment = "%";

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

/// Takes the banner's next word, which must be one of `known`; returns its place there.
template <std::size_t N>
std::size_t choose(const line_reader& lines, field_reader& fields, std::string_view what,
                   const std::string_view (&known)[N]) {
  const std::string_view found = fields.word();
  for (std::size_t i = 0; i < N; ++i)
    if (same_word(found, known[i])) return i;
  if (found.empty())
    lines.fail(fmt::format("the banner ends where the {} should be ({})", what, fmt::join(known, ", ")));
  lines.fail(
      fmt::format("the {} {} is not supported, only {}", what, in_quotes(found), fmt::join(known, ", ")));
}

header read_banner(line_reader& lines) {
  std::string_view line;
  if (!lines.next(line)) lines.fail("the file is empty: a Matrix Market file starts with %%MatrixMarket");
  field_reader fields(lines, line);
  if (const std::string_view first = fields.word(); !same_word(first, "%%MatrixMarket"))
    lines.fail(fmt::format("the file starts with {}: a Matrix Market file starts with %%MatrixMarket",
                           in_quotes(first)));
  header read;
  choose(lines, fields, "object", {"matrix"});
  choose(lines, fields, "format", {"coordinate"});
  read.values = static_cast<field>(choose(lines, fields, "field", {"real", "integer", "pattern"}));
  read.storage =
      static_cast<symmetry>(choose(lines, fields, "symmetry", {"general", "symmetric", "skew-symmetric"}));
  fields.finish("symmetry");
  if (read.values == field::pattern && read.storage == symmetry::skew)
    lines.fail("pattern and skew-symmetric exclude each other: a pattern has no signs");
  return read;
}

void read_size(line_reader& lines, header& read, const matrix_limits& limits) {
  std::string_view line;
  if (!lines.next_record(line, comment)) lines.fail("the file ends before the line 'rows columns entries'");
  field_reader fields(lines, line);
  read.rows = fields.integer("number of rows", 0, limits.rows);
  read.cols = fields.integer("number of columns", 0, limits.cols);
  read.entries = fields.integer("number of entries", 0, limits.entries);
  fields.finish("number of entries");
  read.size_line = lines.line_number();
  if (read.storage == symmetry::general) return;
  if (read.rows != read.cols)
    lines.fail(
        fmt::format("{} rows and {} columns: a symmetric matrix has as many of both", read.rows, read.cols));
  const std::int64_t diagonal = read.storage == symmetry::symmetric ? read.rows : 0;
  if (2 * read.entries - diagonal > limits.entries)
    lines.fail(fmt::format("{} entries of a symmetric matrix stand for {} or more: at most {} are supported",
                           read.entries, 2 * read.entries - diagonal, limits.entries));
}

entry read_entry(const line_reader& lines, std::string_view line, const header& shape) {
  field_reader fields(lines, line);
  entry read{};
  read.row = static_cast<int>(fields.integer("row", 1, shape.rows) - 1);
  read.col = static_cast<int>(fields.integer("column", 1, shape.cols) - 1);
  switch (shape.values) {
  case field::real:
    read.value = fields.real("value");
    break;
  case field::integer:
    read.value = static_cast<double>(fields.integer("value", std::numeric_limits<std::int64_t>::min(),
                                                    std::numeric_limits<std::int64_t>::max()));
    break;
  case field::pattern:
    read.value = 1;
    break;
  }
  fields.finish(shape.values == field::pattern ? "column" : "value");
  if (shape.storage == symmetry::skew && read.row == read.col)
    lines.fail(
        fmt::format("an entry on the diagonal, row {}: a skew-symmetric matrix has none", read.row + 1));
  return read;
}

std::vector<entry> read_entries(line_reader& lines, const header& shape, const matrix_limits& limits) {
  std::vector<entry> entries; // grows as they come: the announced number may be a lie
  std::int64_t expanded = 0;
  std::string_view line;
  while (lines.next_record(line, comment)) {
    if (static_cast<std::int64_t>(entries.size()) == shape.entries)
      lines.fail(fmt::format("{} after the last of {} entries, the number that line {} announces",
                             in_quotes(line), shape.entries, shape.size_line));
    entries.push_back(read_entry(lines, line, shape));
    expanded += shape.storage == symmetry::general || entries.back().row == entries.back().col ? 1 : 2;
    if (expanded > limits.entries)
      lines.fail(fmt::format("more than {} entries, counting both triangles: no more are supported",
                             limits.entries));
  }
  if (static_cast<std::int64_t>(entries.size()) < shape.entries)
    lines.fail(fmt::format("the file ends after {} of {} entries, the number that line {} announces",
                           entries.size(), shape.entries, shape.size_line));
  return entries;
}

/// Calls visit(row, col, value) for every entry of the matrix that `entries` stand for, in order.
template <class Visit>
void for_each_expanded(symmetry storage, const std::vector<entry>& entries, Visit visit) {
  for (const entry& e : entries) {
    visit(e.row, e.col, e.value);
    if (storage == symmetry::general || e.row == e.col) continue;
    visit(e.col, e.row, storage == symmetry::skew ? -e.value : e.value);
  }
}

csr_matrix<double> to_rows(const header& shape, const std::vector<entry>& entries) {
  csr_matrix<double> a;
  a.rows = static_cast<int>(shape.rows);
  a.cols = static_cast<int>(shape.cols);
  a.offsets.assign(static_cast<std::size_t>(shape.rows) + 1, 0);
  // While rows are filled, offsets[r + 1] is where the next entry of row r goes: it ends where row r ends.
  int atoms = 0;
  for_each_expanded(shape.storage, entries, [&](int row, int, double) { ++a.offsets[row + 1]; });
  for (std::size_t r = 1; r < a.offsets.size(); ++r) atoms += std::exchange(a.offsets[r], atoms);
  a.columns.resize(static_cast<std::size_t>(atoms));
  a.values.resize(static_cast<std::size_t>(atoms));
  for_each_expanded(shape.storage, entries, [&](int row, int col, double value) {
    const int place = a.offsets[row + 1]++;
    a.columns[place] = col;
    a.values[place] = value;
  });
  return a;
}

/// An entry of one row and its place in the file's order, which decides between equal columns.
struct placed {
  int col;
  int order;
  double value;
};

/// Sorts entries [begin, end) by column, those of the same column by their order so far.
void sort_row(csr_matrix<double>& a, int begin, int end, std::vector<placed>& scratch) {
  if (std::is_sorted(a.columns.begin() + begin, a.columns.begin() + end)) return;
  scratch.clear();
  for (int k = begin; k < end; ++k) scratch.push_back({a.columns[k], k, a.values[k]});
  std::ranges::sort(scratch, {}, [](const placed& p) { return std::pair(p.col, p.order); });
  for (int k = begin; k < end; ++k) {
    a.columns[k] = scratch[k - begin].col;
    a.values[k] = scratch[k - begin].value;
  }
}

/// Makes the columns of each row sorted and distinct; values at the same place are added in their order.
void sort_and_add(csr_matrix<double>& a) {
  std::vector<placed> scratch;
  int kept = 0;
  int begin = 0;
  for (int r = 0; r < a.rows; ++r) {
    const int end = a.offsets[r + 1];
    sort_row(a, begin, end, scratch);
    const int first = kept;
    for (int k = begin; k < end; ++k) {
      if (kept > first && a.columns[kept - 1] == a.columns[k]) {
        a.values[kept - 1] += a.values[k];
      } else {
        a.columns[kept] = a.columns[k];
        a.values[kept++] = a.values[k];
      }
    }
    a.offsets[r + 1] = kept;
    begin = end;
  }
  a.columns.resize(static_cast<std::size_t>(kept));
  a.values.resize(static_cast<std::size_t>(kept));
}

csr_matrix<double> read(byte_source source, const matrix_limits& limits) {
  constexpr matrix_limits most;
  require(limits.rows <= most.rows && limits.cols <= most.cols && limits.entries <= most.entries,
          [] { return "the limits of a matrix exceed what 32 bits can count"; });
  line_reader lines(std::move(source));
  try {
    header shape = read_banner(lines);
    read_size(lines, shape, limits);
    csr_matrix<double> a = to_rows(shape, read_entries(lines, shape, limits));
    sort_and_add(a);
    return a;
  } catch (const std::bad_alloc&) {
    lines.fail("not enough memory for the rows and entries up to here");
  }
}

} // namespace

csr_matrix<double> read_matrix_market(const std::filesystem::path& path, const matrix_limits& limits) {
  return read(byte_source(path), limits);
}

void check_matrix_market(const std::filesystem::path& path, const matrix_limits& limits) {
  std::error_code ignored;
  const auto there = std::filesystem::status(path, ignored);
  const bool can_be_read_twice = std::filesystem::is_regular_file(there);
  const bool is_refused = std::filesystem::is_directory(there) || ::access(path.c_str(), R_OK) != 0;
  if (!can_be_read_twice && !is_refused) return;
  line_reader lines{byte_source(path)};
  header shape = read_banner(lines);
  read_size(lines, shape, limits);
}

csr_matrix<double> read_matrix_market(std::istream& stream, const std::string& name,
                                      const matrix_limits& limits) {
  return read(byte_source(stream, name), limits);
}

} // namespace evenly::io
