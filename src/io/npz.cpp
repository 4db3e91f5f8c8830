// SPDX-License-Identifier: Apache-2.0
#include "io/npz.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/compressed_rows.hpp"

namespace evenly::io {
namespace {

/// `a.npy, b.npy`: the first names.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t max = 5;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(max, names.size()); ++i) shown.push_back(host::in_quotes(names[i]));
  if (names.size() > max) shown.push_back("...");
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(shown, ", "));
}

/// Fails unless an array has one dimension.
void require_line(const array_bytes& from, const npy_header& header) {
  if (header.shape.size() != 1)
    from.fail(fmt::format("an array of shape {}: it must have one dimension", header.shape_text()));
}

/// Combines values at the same position as SciPy does.
struct combine_values {
  bool is_boolean;

  template <class Value> bool operator()(Value& all, const Value& more) const {
    if (!is_boolean) return add_values{}(all, more);
    all = all != Value{} || more != Value{} ? Value{1} : Value{};
    return true;
  }
};

/// The index of an element in the order of its array.
std::size_t element_at(const npy_header& header, std::initializer_list<std::size_t> indices) {
  std::size_t number = 0;
  const std::size_t last = indices.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const std::size_t d = header.columns_first ? last - i : i;
    number = number * static_cast<std::size_t>(header.shape[d]) + indices.begin()[d];
  }
  return number;
}

} // namespace

npz_matrix::npz_matrix(byte_source source, const matrix_limits& limits)
    : archive_(std::move(source)), limits_(limits) {
  if (!archive_.has("format.npy"))
    archive_.fail(fmt::format("the archive has no format.npy, as scipy.sparse.save_npz writes it, but {}",
                              some_of(archive_.names())));
  array_bytes word = archive_.member("format.npy");
  format_ = npy_word(word, read_npy_header(word));
  constexpr std::array<std::string_view, 5> known{"csr", "csc", "coo", "bsr", "dia"};
  if (std::ranges::find(known, format_) == known.end())
    archive_.fail(
        fmt::format("a sparse matrix of format {}: it must be one of {} (SciPy's tocsr() makes one)",
                    host::in_quotes(format_), fmt::join(known, ", ")));
  array_bytes shape = archive_.member("shape.npy");
  const npy_header header = read_npy_header(shape);
  require_line(shape, header);
  if (header.count != 2) shape.fail(fmt::format("{} dimensions: a matrix has 2", header.count));
  const auto sizes = npy_wide_integers(shape, header, 0, std::numeric_limits<std::int64_t>::max());
  if (sizes[0] > limits.rows || sizes[1] > limits.cols)
    shape.fail(fmt::format("{} rows and {} columns: at most {} and {} are supported", sizes[0], sizes[1],
                           limits.rows, limits.cols));
  rows_ = static_cast<int>(sizes[0]);
  cols_ = static_cast<int>(sizes[1]);
  array_bytes data = archive_.member("data.npy");
  const npy_header type = read_npy_header(data);
  is_complex_ = type.is_complex();
  is_boolean_ = type.kind == npy_kind::boolean;
  is_integer_ = type.is_integer();
  is_wide_unsigned_ = type.is_wide_unsigned();
}

csr_matrix<double> npz_matrix::read(const host::remark_handler& say) const { return read_as<double>(say); }

csr_matrix<std::complex<double>> npz_matrix::read_complex(const host::remark_handler& say) const {
  return read_as<std::complex<double>>(say);
}

exact_matrix npz_matrix::read_exact() const {
  if (is_complex_) return {read_complex()};
  if (is_wide_unsigned_) return {read_as<std::uint64_t>(host::ignore_remark)};
  if (is_integer_) return {read_as<std::int64_t>(host::ignore_remark)};
  return {read()};
}

template <class Value> csr_matrix<Value> npz_matrix::read_as(const host::remark_handler& say) const {
  try {
    if (format_ == "csr") return read_rows<Value>(say);
    if (format_ == "csc") return read_columns<Value>(say);
    if (format_ == "bsr") return read_blocks<Value>(say);
    return format_ == "dia" ? read_diagonals<Value>(say) : read_entries<Value>(say);
  } catch (const sum_overflow& at) {
    archive_.fail(at.text(0));
  } catch (const std::bad_alloc&) {
    archive_.fail("not enough memory for the matrix");
  }
}

template <class Value>
std::vector<Value> npz_matrix::read_data(std::size_t dimensions, npy_header& header,
                                         const host::remark_handler& say) const {
  array_bytes from = archive_.member("data.npy");
  header = read_npy_header(from);
  if (dimensions == 1) require_line(from, header);
  if (header.shape.size() != dimensions)
    from.fail(
        fmt::format("an array of shape {}: it must have {} dimensions", header.shape_text(), dimensions));
  if (header.count > limits_.entries)
    from.fail(fmt::format("{} entries: at most {} are supported", header.count, limits_.entries));
  return npy_elements<Value>(from, header, say);
}

std::vector<int> npz_matrix::read_indices(const char* name, std::int64_t max) const {
  array_bytes from = archive_.member(name);
  const npy_header header = read_npy_header(from);
  require_line(from, header);
  if (header.count > limits_.entries)
    from.fail(fmt::format("{} entries: at most {} are supported", header.count, limits_.entries));
  return npy_integers(from, header, 0, max);
}

std::vector<int> npz_matrix::read_offsets(std::int64_t lines, const char* of) const {
  array_bytes from = archive_.member("indptr.npy");
  const npy_header header = read_npy_header(from);
  require_line(from, header);
  if (header.count != lines + 1)
    from.fail(fmt::format("{} offsets: {} {} have {}", header.count, lines, of, lines + 1));
  std::vector<int> offsets = npy_integers(from, header, 0, limits_.entries);
  if (offsets.front() != 0)
    from.fail(fmt::format("element 0 is {}: offsets must begin with 0", offsets.front()));
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1])
      from.fail(fmt::format("element {} is {}, less than the {} before: offsets must not decrease", i,
                            offsets[i], offsets[i - 1]));
  return offsets;
}

void npz_matrix::require_as_many(const char* name, std::size_t found, std::size_t wanted) const {
  if (found != wanted)
    archive_.fail(
        fmt::format("{} has {} elements and data.npy {}: the numbers must be equal", name, found, wanted));
}

void npz_matrix::require_entries(int end, std::size_t entries) const {
  if (static_cast<std::size_t>(end) > entries)
    archive_.fail(fmt::format("indptr.npy ends with {}, but there are {} entries", end, entries));
}

/// `entries`: the maximum number of entries that for_all visits.
template <class Value, class ForAll>
csr_matrix<Value> npz_matrix::compress(std::int64_t entries, const ForAll& for_all) const {
  const std::int64_t bytes = 4 * (std::int64_t{rows_} + 1) + (4 + std::int64_t{sizeof(Value)}) * entries;
  if (const auto shortage = host::memory_shortage(bytes))
    archive_.fail(fmt::format("compressed rows: {}", *shortage));
  return compress_rows<Value>(rows_, cols_, for_all, combine_values{is_boolean_});
}

template <class Value> csr_matrix<Value> npz_matrix::read_rows(const host::remark_handler& say) const {
  npy_header header;
  csr_matrix<Value> a;
  a.rows = rows_;
  a.cols = cols_;
  a.offsets = read_offsets(rows_, "rows");
  a.columns = read_indices("indices.npy", std::int64_t{cols_} - 1);
  a.values = read_data<Value>(1, header, say);
  require_as_many("indices.npy", a.columns.size(), a.values.size());
  require_entries(a.offsets.back(), a.columns.size());
  const auto atoms = static_cast<std::size_t>(a.offsets.back());
  a.columns.resize(atoms); // SciPy may leave space after the last row
  a.values.resize(atoms);
  sort_and_add(a, combine_values{is_boolean_});
  return a;
}

template <class Value> csr_matrix<Value> npz_matrix::read_columns(const host::remark_handler& say) const {
  npy_header header;
  const std::vector<int> offsets = read_offsets(cols_, "columns");
  const std::vector<int> rows = read_indices("indices.npy", std::int64_t{rows_} - 1);
  const auto values = read_data<Value>(1, header, say);
  require_as_many("indices.npy", rows.size(), values.size());
  require_entries(offsets.back(), rows.size());
  return compress<Value>(offsets.back(), [&](const auto& visit) {
    for (std::size_t col = 0; col + 1 < offsets.size(); ++col)
      for (auto k = static_cast<std::size_t>(offsets[col]); k < static_cast<std::size_t>(offsets[col + 1]);
           ++k)
        visit(rows[k], static_cast<int>(col), values[k]);
  });
}

template <class Value> csr_matrix<Value> npz_matrix::read_blocks(const host::remark_handler& say) const {
  npy_header header;
  const auto values = read_data<Value>(3, header, say);
  const std::int64_t height = header.shape[1], width = header.shape[2];
  if (height == 0 || width == 0 || rows_ % height != 0 || cols_ % width != 0)
    archive_.fail(fmt::format(
        "data.npy has blocks of {} rows and {} columns, which do not divide {} rows and {} columns", height,
        width, rows_, cols_));
  const std::vector<int> offsets = read_offsets(rows_ / height, "rows of blocks");
  const std::vector<int> columns = read_indices("indices.npy", cols_ / width - 1);
  require_as_many("indices.npy", columns.size(), static_cast<std::size_t>(header.shape[0]));
  require_entries(offsets.back(), columns.size());
  const auto visit_block = [&](std::size_t block_row, std::size_t k, const auto& visit) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(height); ++r)
      for (std::size_t c = 0; c < static_cast<std::size_t>(width); ++c)
        visit(static_cast<int>(block_row * static_cast<std::size_t>(height) + r),
              static_cast<int>(static_cast<std::size_t>(columns[k] * width) + c),
              values[element_at(header, {k, r, c})]);
  };
  return compress<Value>(offsets.back() * height * width, [&](const auto& visit) {
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
      for (auto k = static_cast<std::size_t>(offsets[row]); k < static_cast<std::size_t>(offsets[row + 1]);
           ++k)
        visit_block(row, k, visit);
  });
}

/// Diagonal k has the element of column c at data[k, c]. Zeros, and positions outside the matrix, are not entries.
template <class Value> csr_matrix<Value> npz_matrix::read_diagonals(const host::remark_handler& say) const {
  npy_header header;
  const auto values = read_data<Value>(2, header, say);
  array_bytes from = archive_.member("offsets.npy");
  const npy_header line = read_npy_header(from);
  require_line(from, line);
  require_as_many("offsets.npy", static_cast<std::size_t>(line.count),
                  static_cast<std::size_t>(header.shape[0]));
  const std::vector<int> offsets =
      npy_integers(from, line, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  std::vector<int> sorted = offsets;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    from.fail(fmt::format("the diagonal {} appears twice", *twice));
  const std::int64_t width = std::min<std::int64_t>(cols_, header.shape[1]);
  return compress<Value>(header.count, [&](const auto& visit) {
    for (std::size_t k = 0; k < offsets.size(); ++k)
      for (std::int64_t col = std::max(0, offsets[k]);
           col < std::min(width, std::int64_t{rows_} + offsets[k]); ++col) {
        const Value& value = values[element_at(header, {k, static_cast<std::size_t>(col)})];
        if (value != Value{}) visit(static_cast<int>(col - offsets[k]), static_cast<int>(col), value);
      }
  });
}

void npz_matrix::read_coordinates(std::vector<int>& rows, std::vector<int>& cols) const {
  if (archive_.has("row.npy") || !archive_.has("coords.npy")) {
    rows = read_indices("row.npy", std::int64_t{rows_} - 1);
    cols = read_indices("col.npy", std::int64_t{cols_} - 1);
    return;
  }
  array_bytes from = archive_.member("coords.npy");
  const npy_header header = read_npy_header(from);
  if (header.shape.size() != 2 || header.shape[0] != 2)
    from.fail(
        fmt::format("an array of shape {}: it must have 2 rows, for rows and columns", header.shape_text()));
  const std::vector<int> both = npy_integers(from, header, 0, std::max(rows_, cols_) - 1);
  const std::size_t count = both.size() / 2;
  for (std::size_t k = 0; k < count; ++k) {
    rows.push_back(both[header.columns_first ? 2 * k : k]);
    cols.push_back(both[header.columns_first ? 2 * k + 1 : count + k]);
    if (rows.back() >= rows_ || cols.back() >= cols_)
      from.fail(fmt::format("entry {} is in row {} and column {}, but the matrix has {} rows and {} columns",
                            k, rows.back(), cols.back(), rows_, cols_));
  }
}

template <class Value> csr_matrix<Value> npz_matrix::read_entries(const host::remark_handler& say) const {
  npy_header header;
  std::vector<int> rows, cols;
  read_coordinates(rows, cols);
  const auto values = read_data<Value>(1, header, say);
  require_as_many("row.npy", rows.size(), values.size());
  require_as_many("col.npy", cols.size(), values.size());
  return compress<Value>(static_cast<std::int64_t>(values.size()), [&](const auto& visit) {
    for (std::size_t k = 0; k < values.size(); ++k) visit(rows[k], cols[k], values[k]);
  });
}

} // namespace evenly::io
