// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed columns.
//
//   auto c = evenly::to_csc(exec, a);                                      // from compressed rows
//   auto a = evenly::to_csr(exec, c.view());
//   evenly::spmv(exec, schedule, transpose_of(c.view()), x, y);            // y = A^T x: columns are summed up
//   evenly::rows_of_csc by_rows(exec, c.view());                           // where rows have their entries
//   evenly::spmv(exec, schedule, by_rows.view(c.view()), x, y);            // y = A x
//
// Nothing is added atomically, so results have the same bits on every run.
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
#include "evenly/sparse/spmv.hpp"
#include "evenly/sparse/transpose.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

/// offsets: cols + 1 values, not decreasing. row_of, values: indexed by [offsets[0], offsets[cols]).
template <class Value, signed_of_32_or_64_bits Offset = int> struct csc_view {
  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr;
  const int* row_of = nullptr;
  const Value* values = nullptr;
};

/// A^T in compressed rows, which has the arrays of A in compressed columns.
template <class Value, class Offset> csr_view<Value, Offset> transpose_of(const csc_view<Value, Offset>& a) {
  return {a.cols, a.rows, a.offsets, a.row_of, a.values};
}

/// Owns the arrays of a csc_view. Move-only.
template <class Value, signed_of_32_or_64_bits Offset = int> struct csc_buffers {
  int rows = 0;
  int cols = 0;
  buffer<Offset> offsets; ///< cols + 1 values
  buffer<int> row_of;
  buffer<Value> values;

  csc_view<Value, Offset> view() const { return {rows, cols, offsets.data(), row_of.data(), values.data()}; }
};

/// Rows ascend in each column; entries at one place stay apart, in their order. Otherwise as transpose.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
csc_buffers<Value, Offset> to_csc(const Executor& exec, const csr_view<Value, Offset>& a) {
  csr_buffers<Value, Offset> t = transpose(exec, a);
  return {a.rows, a.cols, std::move(t.offsets), std::move(t.columns), std::move(t.values)};
}
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
csr_buffers<Value, Offset> to_csr(const Executor& exec, const csc_view<Value, Offset>& a) {
  return transpose(exec, transpose_of(a));
}

/// The rows of a matrix in compressed columns, whose values stay where they are.
template <class Value, signed_of_32_or_64_bits Offset = int> struct csc_by_rows_view {
  using value_type = Value;
  using sum_type = Value;

  /// Entry k of the rows is entry place[k] of the columns.
  struct times_x_at {
    const int* columns;
    const Offset* place;
    const Value* values;
    const Value* x;
    EVENLY_FN Value operator()(Offset k) const { return values[place[k]] * x[columns[k]]; }
  };

  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr; ///< of rows
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

/// Where rows have their entries in compressed columns: made once for all values. Move-only.
template <signed_of_32_or_64_bits Offset = int> class rows_of_csc {
 public:
  /// Values are not looked at. Throws invalid_argument for sizes below 0 and for null offsets. Allocates and
  /// synchronises. Cost: a stable sort of rows.
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

  /// For the matrix that it was made for, with any values. Throws invalid_argument for another.
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

static_assert(matrix_of_tiles<csc_by_rows_view<float>>);

} // namespace evenly
