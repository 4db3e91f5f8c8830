// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed columns.
//
//   auto c = evenly::to_csc(a);                                            // on the executor of a csr_matrix
//   auto a = evenly::to_csr(c);
//   auto y = c * x;                                                        // sorts rows at each product
//   auto c = evenly::to_csc(exec, a.view());                               // also to_csr(exec, c.view())
//   evenly::spmv(exec, schedule, transpose_of(c.view()), x, y);            // y = A^T x: sums of columns
//   evenly::rows_of_csc by_rows(exec, c.view());                           // finds the entries of each row
//   evenly::spmv(exec, schedule, by_rows.view(c.view()), x, y);            // y = A x
//
// Products do not add atomically, so results have the same bits on every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/owned_format.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/sparse/transpose.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

/// A view of compressed columns. offsets: cols + 1 values, not decreasing. row_of, values: indexed by [offsets[0],
/// offsets[cols]).
template <class Value, signed_of_32_or_64_bits Offset = int> struct csc_view {
  using value_type = Value;

  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr;
  const int* row_of = nullptr;
  const Value* values = nullptr;

  template <class Visit>
  void for_each_array(std::int64_t first_entry, std::int64_t entries, const Visit& visit) const {
    visit("offsets", offsets, 0, std::int64_t{cols} + 1);
    visit("row_of", row_of, first_entry, entries);
    visit("values", values, first_entry, entries);
  }
  /// The check of rows for owners of `size` entries (matrix_like.hpp).
  template <class Executor> auto index_check(const Executor& exec, std::int64_t size) const {
    return detail::check_of_lines(exec, offsets, cols, row_of, rows, size,
                                  {"entry", "entries", "row", "column"});
  }
};

/// A^T in compressed rows; it has the arrays of A in compressed columns.
template <class Value, class Offset> csr_view<Value, Offset> transpose_of(const csc_view<Value, Offset>& a) {
  return {a.cols, a.rows, a.offsets, a.row_of, a.values};
}

/// Owns the arrays of a csc_view (owned_format.hpp).
template <class Value, signed_of_32_or_64_bits Offset, template <class> class Array> struct csc_arrays {
  using executor_type = detail::host_if<Array>;

  int rows = 0;
  int cols = 0;
  Array<Offset> offsets = {}; ///< cols + 1 values
  Array<int> row_of = {};
  Array<Value> values = {};

  template <template <class> class To, class Each>
  csc_arrays<Value, Offset, To> with(const Each& each) const {
    return {rows, cols, each(offsets), each(row_of), each(values)};
  }
  std::int64_t entries() const { return static_cast<std::int64_t>(row_of.size()); }
  csc_view<Value, Offset> view() const { return {rows, cols, offsets.data(), row_of.data(), values.data()}; }
  template <class To> auto to(const To& exec) const { return detail::copied(executor_type(), *this, exec); }
};
template <class Value, signed_of_32_or_64_bits Offset = int>
using csc_buffers = csc_arrays<Value, Offset, buffer>;
template <class Value, signed_of_32_or_64_bits Offset = int, class Executor = cpu>
using csc_matrix =
    detail::matrix_on<Executor, csc_arrays<Value, Offset, detail::host_array>, csc_buffers<Value, Offset>>;

/// Makes compressed columns. Rows ascend in each column; entries at one position remain separate, in their order. All
/// else is as in transpose.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
csc_buffers<Value, Offset> to_csc(const Executor& exec, const csr_view<Value, Offset>& a) {
  csr_buffers<Value, Offset> t = transpose(exec, a);
  return {a.rows, a.cols, std::move(t.offsets), std::move(t.columns), std::move(t.values)};
}
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
csr_buffers<Value, Offset> to_csr(const Executor& exec, const csc_view<Value, Offset>& a) {
  return transpose(exec, transpose_of(a));
}

/// The rows of a matrix in compressed columns; the values stay in place.
template <class Value, signed_of_32_or_64_bits Offset = int> struct csc_by_rows_view {
  using value_type = Value;
  using sum_type = Value;

  /// The product of entry k, counted by rows, with x; its value is values[place[k]].
  struct times_x_at {
    const int* columns;
    const Offset* place;
    const Value* values;
    const Value* x;
    EVENLY_FN Value operator()(Offset k) const { return values[place[k]] * x[columns[k]]; }
  };

  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr; ///< of the rows
  const int* columns = nullptr;
  const Offset* place = nullptr;
  const Value* values = nullptr;

  csr_tile_set<Offset> tiles() const { return {offsets, rows}; }
  times_x_at product(const Value* x) const { return {columns, place, values, x}; }
  update_y<Value> update(Value* y, Value alpha, Value beta) const { return {y, alpha, beta}; }
  template <class Visit>
  void for_each_array(std::int64_t first_entry, std::int64_t entries, const Visit& visit) const {
    visit("offsets", offsets, 0, std::int64_t{rows} + 1);
    visit("columns", columns, first_entry, entries);
    visit("place", place, first_entry, entries);
    visit("values", values, 0, entries);
  }
};

/// The places of each row's entries in compressed columns, found once for all values. Move-only.
template <signed_of_32_or_64_bits Offset = int> class rows_of_csc {
 public:
  /// Finds the places; does not read values. Cost: a stable sort of rows. Allocates and synchronises. Throws
  /// invalid_argument for negative sizes and for null offsets.
  template <class Executor, class Value>
  rows_of_csc(const Executor& exec, const csc_view<Value, Offset>& a)
      : rows_(a.rows), cols_(a.cols), row_of_(a.row_of) {
    const csr_view<Value, Offset> by_columns = transpose_of(a);
    const auto all = detail::entries_of(exec, by_columns);
    auto ordered = detail::order_entries<Offset>(exec, a.row_of + all.first, all.count);
    offsets_ = detail::offsets_of_lines<Offset>(exec, ordered.lines.data(), all.count, a.rows);
    const auto column_of = detail::rows_of_entries(exec, by_columns, all.count);
    columns_ = make_buffer<int>(exec, static_cast<std::size_t>(all.count));
    tabulate(exec, all.count,
             detail::element_of_numbered<int, Offset>{column_of.data(), ordered.numbers.data()},
             columns_.data());
    first_ = all.first;
    place_ = std::move(ordered.numbers);
    exec.synchronize();
  }
  template <class Executor, class Value>
  rows_of_csc(const Executor& exec, const csc_buffers<Value, Offset>& a) : rows_of_csc(exec, a.view()) {}

  /// The rows of the matrix, with any values. Throws invalid_argument for other sizes or rows than in the constructor.
  template <class Value> csc_by_rows_view<Value, Offset> view(const csc_view<Value, Offset>& a) const {
    require(a.rows == rows_ && a.cols == cols_ && a.row_of == row_of_,
            [] { return std::string("the rows belong to another matrix: its sizes or arrays differ"); });
    return {rows_, cols_, offsets_.data(), columns_.data(), place_.data(), a.values + first_};
  }

 private:
  int rows_, cols_;
  const int* row_of_;
  Offset first_ = 0;
  buffer<Offset> offsets_;
  buffer<int> columns_;
  buffer<Offset> place_;
};
template <class Executor, class Value, class Offset>
rows_of_csc(const Executor&, const csc_view<Value, Offset>&) -> rows_of_csc<Offset>;
template <class Executor, class Value, class Offset>
rows_of_csc(const Executor&, const csc_buffers<Value, Offset>&) -> rows_of_csc<Offset>;

/// The input of A x: rows_of_csc, and the view it was made for.
template <class Value, class Offset> struct csc_in_rows {
  rows_of_csc<Offset> rows;
  csc_view<Value, Offset> columns;
  csc_by_rows_view<Value, Offset> view() const { return rows.view(columns); }
};
/// Finds the rows for one product (multiply.hpp), by a sort.
template <class Executor, class Value, class Offset>
csc_in_rows<Value, Offset> in_rows(const Executor& exec, const csc_view<Value, Offset>& a) {
  return {rows_of_csc<Offset>(exec, a), a};
}

/// The same on the executor of the csr_matrix `a`.
template <csr_owner A> auto to_csc(const A& a) {
  return detail::owned_where(a, [&](const auto& exec) { return to_csc(exec, a.view()); });
}

static_assert(matrix_of_tiles<csc_by_rows_view<float>>);

} // namespace evenly
