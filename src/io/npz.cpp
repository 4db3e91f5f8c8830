// SPDX-License-Identifier: Apache-2.0
#include "io/npz.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/compressed_rows.hpp"
#include "io/errors.hpp"
#include "io/memory_limits.hpp"
#include "io/npy.hpp"

namespace evenly::io {
namespace {

/// `a.npy, b.npy`, the first of them.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) shown.push_back(in_quotes(names[i]));
  if (names.size() > most) shown.push_back("...");
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(shown, ", "));
}

/// Fails unless an array has one dimension.
void require_line(const array_bytes& from, const npy_header& header) {
  if (header.shape.size() != 1)
    from.fail(fmt::format("an array of shape {}: it must have one dimension", header.shape_text()));
}

} // namespace

npz_matrix::npz_matrix(byte_source source, const matrix_limits& limits)
    : archive_(std::move(source)), limits_(limits) {
  if (!archive_.has("format.npy"))
    archive_.fail(fmt::format("the archive has no format.npy, as scipy.sparse.save_npz writes it, but {}",
                              some_of(archive_.names())));
  array_bytes word = archive_.member("format.npy");
  format_ = npy_word(word, read_npy_header(word));
  if (format_ != "csr" && format_ != "csc" && format_ != "coo")
    archive_.fail(
        fmt::format("a sparse matrix of format {}: csr, csc and coo are read (SciPy's tocsr() makes one)",
                    in_quotes(format_)));
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
  is_complex_ = read_npy_header(data).is_complex();
}

csr_matrix<double> npz_matrix::read() const { return read_as<double>(); }
csr_matrix<std::complex<double>> npz_matrix::read_complex() const { return read_as<std::complex<double>>(); }

template <class Value> csr_matrix<Value> npz_matrix::read_as() const {
  try {
    if (format_ == "csr") return read_rows<Value>();
    return format_ == "csc" ? read_columns<Value>() : read_entries<Value>();
  } catch (const std::bad_alloc&) {
    archive_.fail("not enough memory for the matrix");
  }
}

template <class Value> std::vector<Value> npz_matrix::read_data() const {
  array_bytes from = archive_.member("data.npy");
  const npy_header header = read_npy_header(from);
  require_line(from, header);
  if (header.count > limits_.entries)
    from.fail(fmt::format("{} entries: at most {} are supported", header.count, limits_.entries));
  if constexpr (std::is_same_v<Value, double>)
    return npy_values(from, header);
  else
    return npy_complex(from, header);
}

std::vector<int> npz_matrix::read_indices(const char* name, std::int64_t most) const {
  array_bytes from = archive_.member(name);
  const npy_header header = read_npy_header(from);
  require_line(from, header);
  if (header.count > limits_.entries)
    from.fail(fmt::format("{} entries: at most {} are supported", header.count, limits_.entries));
  return npy_integers(from, header, 0, most);
}

std::vector<int> npz_matrix::read_offsets(std::int64_t lines, const char* of) const {
  array_bytes from = archive_.member("indptr.npy");
  const npy_header header = read_npy_header(from);
  require_line(from, header);
  if (header.count != lines + 1)
    from.fail(fmt::format("{} offsets: {} {} have {}", header.count, lines, of, lines + 1));
  std::vector<int> offsets = npy_integers(from, header, 0, limits_.entries);
  if (offsets.front() != 0) from.fail(fmt::format("element 0 is {}: offsets begin with 0", offsets.front()));
  for (std::size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1])
      from.fail(fmt::format("element {} is {}, less than the {} before: offsets must not decrease", i,
                            offsets[i], offsets[i - 1]));
  return offsets;
}

void npz_matrix::require_as_many(const char* name, std::size_t found, std::size_t wanted) const {
  if (found != wanted)
    archive_.fail(
        fmt::format("{} has {} elements and data.npy {}: they must have as many", name, found, wanted));
}

void npz_matrix::require_memory(std::int64_t bytes) const {
  if (const auto shortage = memory_shortage(bytes))
    archive_.fail(fmt::format("compressed rows: {}", *shortage));
}

template <class Value> csr_matrix<Value> npz_matrix::read_rows() const {
  csr_matrix<Value> a;
  a.rows = rows_;
  a.cols = cols_;
  a.offsets = read_offsets(rows_, "rows");
  a.columns = read_indices("indices.npy", std::int64_t{cols_} - 1);
  a.values = read_data<Value>();
  require_as_many("indices.npy", a.columns.size(), a.values.size());
  const auto atoms = static_cast<std::size_t>(a.offsets.back());
  if (atoms > a.columns.size())
    archive_.fail(fmt::format("indptr.npy ends with {}, and there are {} entries", atoms, a.columns.size()));
  a.columns.resize(atoms); // SciPy leaves room behind the last row now and then
  a.values.resize(atoms);
  sort_and_add(a);
  return a;
}

template <class Value> csr_matrix<Value> npz_matrix::read_columns() const {
  const std::vector<int> offsets = read_offsets(cols_, "columns");
  const std::vector<int> rows = read_indices("indices.npy", std::int64_t{rows_} - 1);
  const std::vector<Value> values = read_data<Value>();
  require_as_many("indices.npy", rows.size(), values.size());
  if (static_cast<std::size_t>(offsets.back()) > rows.size())
    archive_.fail(
        fmt::format("indptr.npy ends with {}, and there are {} entries", offsets.back(), rows.size()));
  require_memory(4 * (std::int64_t{rows_} + 1) + (4 + std::int64_t{sizeof(Value)}) * offsets.back());
  return compress_rows<Value>(rows_, cols_, [&](const auto& visit) {
    for (std::size_t col = 0; col + 1 < offsets.size(); ++col)
      for (auto k = static_cast<std::size_t>(offsets[col]); k < static_cast<std::size_t>(offsets[col + 1]);
           ++k)
        visit(rows[k], static_cast<int>(col), values[k]);
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
      from.fail(fmt::format("entry {} is in row {} and column {}, of {} and {} counted from 0", k,
                            rows.back(), cols.back(), rows_, cols_));
  }
}

template <class Value> csr_matrix<Value> npz_matrix::read_entries() const {
  std::vector<int> rows, cols;
  read_coordinates(rows, cols);
  const std::vector<Value> values = read_data<Value>();
  require_as_many("row.npy", rows.size(), values.size());
  require_as_many("col.npy", cols.size(), values.size());
  require_memory(4 * (std::int64_t{rows_} + 1) +
                 (4 + std::int64_t{sizeof(Value)}) * static_cast<std::int64_t>(values.size()));
  return compress_rows<Value>(rows_, cols_, [&](const auto& visit) {
    for (std::size_t k = 0; k < values.size(); ++k) visit(rows[k], cols[k], values[k]);
  });
}

} // namespace evenly::io
