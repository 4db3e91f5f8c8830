// SPDX-License-Identifier: Apache-2.0
#include "io/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "io/byte_source.hpp"
#include "io/chunked.hpp"
#include "io/errors.hpp"
#include "io/line_reader.hpp"
#include "io/memory_limits.hpp"

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

/// Calls visit(entry) for each entry of the file.
template <class Visit>
void for_each_entry(line_reader& lines, const header& shape, const matrix_limits& limits, Visit visit) {
  std::int64_t read = 0;
  std::int64_t expanded = 0;
  std::string_view line;
  while (lines.next_record(line, comment)) {
    if (read == shape.entries)
      lines.fail(fmt::format("{} after the last of {} entries, the number that line {} announces",
                             in_quotes(line), shape.entries, shape.size_line));
    const entry each = read_entry(lines, line, shape);
    ++read;
    expanded += shape.storage == symmetry::general || each.row == each.col ? 1 : 2;
    if (expanded > limits.entries)
      lines.fail(fmt::format("more than {} entries, counting both triangles: no more are supported",
                             limits.entries));
    visit(each);
  }
  if (read < shape.entries)
    lines.fail(fmt::format("the file ends after {} of {} entries, the number that line {} announces", read,
                           shape.entries, shape.size_line));
}

/// Fails unless `bytes` more can be had, for `what`.
void require_memory(const line_reader& lines, std::int64_t bytes, const std::string& what) {
  if (const auto shortage = memory_shortage(bytes)) lines.fail(fmt::format("{}: {}", what, *shortage));
}

std::string so_far(std::size_t read, const header& shape) {
  return fmt::format("{} of {} entries read", read, shape.entries);
}

std::int64_t bytes_of_offsets(const header& shape) { return 4 * (shape.rows + 1); }

/// They are kept as they come: the announced number may be a lie.
chunked<entry> read_entries(line_reader& lines, const header& shape, const matrix_limits& limits) {
  const int expansion = shape.storage == symmetry::general ? 1 : 2;
  chunked<entry> entries;
  for_each_entry(lines, shape, limits, [&](const entry& each) {
    if (entries.is_full()) {
      const std::int64_t result = bytes_of_offsets(shape) + 12 * expansion * entries.next_capacity();
      require_memory(lines, entries.growth() + result, so_far(entries.size(), shape));
    }
    entries.push_back(each);
  });
  return entries;
}

/// Calls visit(row, col, value) for every entry of the matrix that `entries` stand for, in order.
template <class Visit> void for_each_expanded(symmetry storage, const chunked<entry>& entries, Visit visit) {
  entries.for_each([&](const entry& e) {
    visit(e.row, e.col, e.value);
    if (storage == symmetry::general || e.row == e.col) return;
    visit(e.col, e.row, storage == symmetry::skew ? -e.value : e.value);
  });
}

csr_matrix<double> to_rows(const header& shape, const chunked<entry>& entries) {
  csr_matrix<double> a;
  a.rows = static_cast<int>(shape.rows);
  a.cols = static_cast<int>(shape.cols);
  a.offsets.resize(static_cast<std::size_t>(shape.rows) + 1);
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

/// Sorts entries [begin, end) by column, those of the same column by their order so far. `scratch` gets room for the
/// largest row that needs it, which is no more than its entries took while they were read.
void sort_row(csr_matrix<double>& a, int begin, int end, std::vector<placed>& scratch) {
  if (std::is_sorted(a.columns.begin() + begin, a.columns.begin() + end)) return;
  const auto size = static_cast<std::size_t>(end - begin);
  scratch.clear();
  if (scratch.capacity() < size) {
    std::vector<placed>().swap(scratch);
    scratch.reserve(size);
  }
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

/// Tells whether entries come in an order in which those at the same place are neighbours: by row and column or by
/// column and row, of a symmetric matrix in one triangle.
class place_order {
 public:
  explicit place_order(symmetry storage) : general_(storage == symmetry::general) {}

  /// Takes the next place. False from the first on that is out of order.
  bool take(int row, int col) {
    const std::pair by_row(row, col);
    const std::pair by_col(col, row);
    is_new_ = by_row != by_row_;
    rising_rows_ = rising_rows_ && by_row >= by_row_;
    rising_cols_ = rising_cols_ && by_col >= by_col_;
    lower_ = lower_ && row >= col;
    upper_ = upper_ && row <= col;
    by_row_ = by_row;
    by_col_ = by_col;
    return (rising_rows_ || rising_cols_) && (general_ || lower_ || upper_);
  }

  /// Whether the last place was another than the one before.
  bool is_new() const { return is_new_; }

 private:
  bool general_;
  bool rising_rows_ = true;
  bool rising_cols_ = true;
  bool lower_ = true;
  bool upper_ = true;
  bool is_new_ = false;
  std::pair<int, int> by_row_{-1, -1};
  std::pair<int, int> by_col_{-1, -1};
};

/// Calls visit(row) for the row of each entry that a place stands for.
template <class Visit> void for_each_row(const header& shape, int row, int col, Visit visit) {
  visit(row);
  if (shape.storage != symmetry::general && row != col) visit(col);
}

/// Counts places while they come in order, which needs none of them. Nothing if they do not, but the file is checked to
/// its end.
std::optional<std::vector<filled_row>> count_in_order(line_reader& lines, const header& shape,
                                                      const matrix_limits& limits) {
  row_counter counter(shape.rows);
  place_order order(shape.storage);
  bool in_order = true;
  std::size_t read = 0;
  for_each_entry(lines, shape, limits, [&](const entry& each) {
    in_order = in_order && order.take(each.row, each.col);
    if (!in_order || !order.is_new()) return;
    for_each_row(shape, each.row, each.col, [&](int row) {
      if (counter.is_full()) require_memory(lines, counter.growth(), so_far(read, shape));
      counter.add(row);
    });
    ++read;
  });
  return in_order ? std::optional(counter.finish()) : std::nullopt;
}

/// Counts places that come in any order, which needs 8 bytes of each, and as many again to bring them into one piece
/// or, when that is done, to count.
std::vector<filled_row> count_places(line_reader& lines, const header& shape, const matrix_limits& limits) {
  chunked<std::uint64_t> kept;
  for_each_entry(lines, shape, limits, [&](entry each) {
    if (kept.is_full()) {
      const std::int64_t counting = 16 * std::min(2 * kept.next_capacity(), shape.rows);
      require_memory(lines, kept.growth() + std::max(8 * kept.next_capacity(), counting),
                     so_far(kept.size(), shape));
    }
    if (shape.storage != symmetry::general && each.row < each.col) std::swap(each.row, each.col);
    kept.push_back(static_cast<std::uint64_t>(each.row) << 32 | static_cast<std::uint64_t>(each.col));
  });
  std::vector<std::uint64_t> places = kept.gather();
  std::ranges::sort(places);
  row_counter counter(shape.rows);
  const auto end = std::ranges::unique(places).begin();
  for (auto place = places.begin(); place != end; ++place)
    for_each_row(shape, static_cast<int>(*place >> 32), static_cast<int>(*place & 0xffffffff),
                 [&](int row) { counter.add(row); });
  return counter.finish();
}

/// Reads banner and sizes, then calls body(lines, header). Too little memory is the file's error.
template <class Body> auto read(byte_source source, const matrix_limits& limits, const Body& body) {
  constexpr matrix_limits most;
  require(limits.rows <= most.rows && limits.cols <= most.cols && limits.entries <= most.entries,
          [] { return "the limits of a matrix exceed what 32 bits can count"; });
  line_reader lines(std::move(source));
  try {
    header shape = read_banner(lines);
    read_size(lines, shape, limits);
    return body(lines, shape);
  } catch (const std::bad_alloc&) {
    lines.fail("not enough memory for the rows and entries up to here");
  }
}

matrix_file read_matrix(byte_source source, const matrix_limits& limits) {
  return read(std::move(source), limits, [&](line_reader& lines, const header& shape) {
    require_memory(lines, bytes_of_offsets(shape), fmt::format("{} rows", shape.rows));
    matrix_file a{to_rows(shape, read_entries(lines, shape, limits)), shape.values != field::pattern};
    sort_and_add(a.matrix);
    return a;
  });
}

row_profile profile_of(const header& shape, std::vector<filled_row> filled) {
  return {static_cast<int>(shape.rows), static_cast<int>(shape.cols), std::move(filled)};
}

bool can_be_read_twice(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

} // namespace

csr_matrix<double> read_matrix_market(const std::filesystem::path& path, const matrix_limits& limits) {
  return read_matrix(byte_source(path), limits).matrix;
}

matrix_file read_matrix_file(const std::filesystem::path& path, const matrix_limits& limits) {
  return read_matrix(byte_source(path), limits);
}

matrix_file read_matrix_file(byte_source source, const matrix_limits& limits) {
  return read_matrix(std::move(source), limits);
}

row_profile read_row_profile(const std::filesystem::path& path, const matrix_limits& limits) {
  if (can_be_read_twice(path)) {
    auto found = read(byte_source(path), limits, [&](line_reader& lines, const header& shape) {
      auto filled = count_in_order(lines, shape, limits);
      return filled ? std::optional(profile_of(shape, std::move(*filled))) : std::nullopt;
    });
    if (found) return std::move(*found);
  }
  return read_row_profile(byte_source(path), limits);
}

row_profile read_row_profile(byte_source source, const matrix_limits& limits) {
  return read(std::move(source), limits, [&](line_reader& lines, const header& shape) {
    return profile_of(shape, count_places(lines, shape, limits));
  });
}

void check_matrix_market(const std::filesystem::path& path, const matrix_limits& limits) {
  std::error_code ignored;
  const bool is_refused = std::filesystem::is_directory(path, ignored) || ::access(path.c_str(), R_OK) != 0;
  if (can_be_read_twice(path) || is_refused)
    read(byte_source(path), limits, [](line_reader&, const header&) {});
}

csr_matrix<double> read_matrix_market(std::istream& stream, const std::string& name,
                                      const matrix_limits& limits) {
  return read_matrix(byte_source(stream, name), limits).matrix;
}

} // namespace evenly::io
