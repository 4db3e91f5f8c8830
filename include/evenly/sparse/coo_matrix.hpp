// SPDX-License-Identifier: Apache-2.0
// A sparse matrix as coordinates: each entry has its row, its column and its value.
//
//   evenly::coo_matrix<float> t{.rows = 3, .cols = 3, .row_of = i, .columns = j, .values = v};   // on the host
//   auto a = evenly::to_csr(t);
//   auto c = evenly::to_coo(a);                                    // on the executor of `a`, in the same order
//   auto y = c * x;                                                // with sparse/multiply.hpp
//   auto c = evenly::to_coo(exec, a.view());
//   auto a = evenly::to_csr(exec, c.view());                       // a stable sort by row
//   evenly::rows_of_coo by_rows(exec, c.view());                   // finds the row offsets of sorted entries
//   evenly::spmv(exec, schedule, by_rows.view(c.view()), x, y);
//   evenly::spmv(exec, schedule, c.view(), x, y);                  // or finds them by search on each run
//
// spmv takes entries sorted by row, as to_coo makes them. It does not add atomically, so results have the same bits on
// every run.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/owned_format.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/coo.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly {

namespace detail {

/// Finds coordinates outside the matrix.
struct check_places {
  struct report {
    std::int64_t at;
    int row, column;
  };
  const int* row_of;
  const int* columns;
  std::int64_t entries;
  int rows, cols;

  EVENLY_FN std::int64_t count() const { return entries; }
  EVENLY_FN bool bad(std::int64_t k) const {
    return (row_of[k] < 0) | (row_of[k] >= rows) | (columns[k] < 0) | (columns[k] >= cols);
  }
  EVENLY_FN report report_of(std::int64_t at) const {
    return at == no_fault ? report{at, 0, 0} : report{at, row_of[at], columns[at]};
  }
  std::string message(const report& seen) const {
    return concat("entry ", seen.at, " is in row ", seen.row, " and column ", seen.column, " of a matrix of ",
                  rows, " rows and ", cols, " columns: both are counted from 0");
  }
};

} // namespace detail

/// A view of coordinates. row_of, columns, values: `entries` of each, 0-based.
template <class Value, signed_of_32_or_64_bits Offset = int> struct coo_view {
  using value_type = Value;
  using sum_type = Value;

  int rows = 0;
  int cols = 0;
  Offset entries = 0;
  const int* row_of = nullptr;
  const int* columns = nullptr;
  const Value* values = nullptr;

  /// The rows as tiles. Requires entries sorted by row, which making a plan checks.
  coo_row_tile_set<Offset, int> tiles() const {
    return coo_row_tiles<Offset>(std::span<const int>(row_of, static_cast<std::size_t>(entries)), rows);
  }
  times_x<Value, Offset> product(const Value* x) const { return {columns, values, x}; }
  update_y<Value> update(Value* y, Value alpha, Value beta) const { return {y, alpha, beta}; }
  template <class Visit> void for_each_array(std::int64_t, std::int64_t, const Visit& visit) const {
    visit("row_of", row_of, 0, entries);
    visit("columns", columns, 0, entries);
    visit("values", values, 0, entries);
  }
  /// The check of rows and columns for owners (matrix_like.hpp).
  template <class Executor> detail::check_places index_check(const Executor&, std::int64_t) const {
    return {row_of, columns, entries, rows, cols};
  }
};

/// Owns the arrays of a coo_view (owned_format.hpp), in any order.
template <class Value, signed_of_32_or_64_bits Offset, template <class> class Array> struct coo_arrays {
  using executor_type = detail::host_if<Array>;

  int rows = 0;
  int cols = 0;
  Array<int> row_of = {};  ///< 0-based
  Array<int> columns = {}; ///< 0-based
  Array<Value> values = {};

  template <template <class> class To, class Each>
  coo_arrays<Value, Offset, To> with(const Each& each) const {
    return {rows, cols, each(row_of), each(columns), each(values)};
  }
  Offset entries() const { return static_cast<Offset>(values.size()); }
  coo_view<Value, Offset> view() const {
    return {rows, cols, entries(), row_of.data(), columns.data(), values.data()};
  }
  template <class To> auto to(const To& exec) const { return detail::copied(executor_type(), *this, exec); }
};
template <class Value, signed_of_32_or_64_bits Offset = int>
using coo_buffers = coo_arrays<Value, Offset, buffer>;
template <class Value, signed_of_32_or_64_bits Offset = int, class Executor = cpu>
using coo_matrix =
    detail::matrix_on<Executor, coo_arrays<Value, Offset, detail::host_array>, coo_buffers<Value, Offset>>;

/// The entries of a matrix in compressed rows, in the same order. Views lie on `exec`. O(entries). Allocates and
/// synchronises. Throws invalid_argument for negative sizes and for null offsets.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
coo_buffers<Value, Offset> to_coo(const Executor& exec, const csr_view<Value, Offset>& a) {
  const auto all = detail::entries_of(exec, a);
  return {a.rows, a.cols, detail::rows_of_entries(exec, a, all.count),
          detail::copy_of_elements(exec, a.columns + all.first, all.count),
          detail::copy_of_elements(exec, a.values + all.first, all.count)};
}

namespace detail {
template <class Value, class Offset> void check_coordinates(const coo_view<Value, Offset>& a) {
  check_matrix_sizes(a.rows, a.cols);
  require(a.entries >= 0 && (a.entries == 0 || a.row_of != nullptr), [&] {
    return "a matrix of " + std::to_string(a.entries) + " entries, whose rows are " +
           (a.row_of == nullptr ? "null" : "there");
  });
}
} // namespace detail

/// Makes compressed rows from entries in any order; the entries of a row keep their order. Rows must be in [0, a.rows);
/// they are not checked. Cost: a stable sort of rows. Allocates and synchronises. Throws invalid_argument for negative
/// sizes.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
csr_buffers<Value, Offset> to_csr(const Executor& exec, const coo_view<Value, Offset>& a) {
  detail::check_coordinates(a);
  const auto size = static_cast<std::size_t>(a.entries);
  const auto ordered = detail::order_entries<Offset>(exec, a.row_of, a.entries);
  csr_buffers<Value, Offset> made{
      a.rows, a.cols, detail::offsets_of_lines<Offset>(exec, ordered.lines.data(), a.entries, a.rows),
      make_buffer<int>(exec, size), make_buffer<Value>(exec, size)};
  tabulate(exec, a.entries, detail::element_of_numbered<int, Offset>{a.columns, ordered.numbers.data()},
           made.columns.data());
  tabulate(exec, a.entries, detail::element_of_numbered<Value, Offset>{a.values, ordered.numbers.data()},
           made.values.data());
  exec.synchronize();
  return made;
}

/// The same on the executor of the csr_matrix `a`.
template <csr_owner A> auto to_coo(const A& a) {
  return detail::owned_where(a, [&](const auto& exec) { return to_coo(exec, a.view()); });
}

/// Makes compressed rows from coordinates on the host. The entries of a row keep their order; several entries at one
/// position remain, and products add them. O(entries). Throws invalid_argument if the arrays differ in length, and for
/// an entry outside the matrix; it names the first such entry.
template <class Value, class Offset>
csr_matrix<Value, Offset> to_csr(const coo_arrays<Value, Offset, detail::host_array>& a) {
  require(a.row_of.size() == a.values.size() && a.columns.size() == a.values.size(), [&] {
    return detail::concat("there are ", a.row_of.size(), " rows, ", a.columns.size(), " columns and ",
                          a.values.size(), " values of entries: every entry needs one of each");
  });
  require(a.values.size() <= static_cast<std::size_t>(std::numeric_limits<Offset>::max()), [&] {
    return detail::concat(a.values.size(), " entries exceed the range of ", 8 * sizeof(Offset),
                          "-bit offsets");
  });
  const cpu exec;
  detail::require_indices(exec, a);
  return to_host(exec, to_csr(exec, a.view()));
}

/// The row offsets of coordinates sorted by row, made once for all columns and values. view() combines them with the
/// coordinates, in place, to compressed rows. Move-only.
template <signed_of_32_or_64_bits Offset = int> class rows_of_coo {
 public:
  /// Finds the offsets; does not read columns and values. O(entries + rows log entries). Allocates and synchronises.
  /// Throws invalid_argument for negative sizes, and for entries that are not sorted by row or outside the rows; it
  /// names the first such entry.
  template <class Executor, class Value>
  rows_of_coo(const Executor& exec, const coo_view<Value, Offset>& a)
      : rows_(a.rows), cols_(a.cols), entries_(a.entries), row_of_(a.row_of) {
    detail::check_coordinates(a);
    require_laws(exec, a.tiles());
    offsets_ = detail::offsets_of_lines<Offset>(exec, a.row_of, a.entries, a.rows);
    exec.synchronize();
  }
  template <class Executor, class Value>
  rows_of_coo(const Executor& exec, const coo_buffers<Value, Offset>& a) : rows_of_coo(exec, a.view()) {}

  /// The matrix in compressed rows, with any columns and values. Throws invalid_argument for other sizes or rows than
  /// in the constructor.
  template <class Value> csr_view<Value, Offset> view(const coo_view<Value, Offset>& a) const {
    require(a.rows == rows_ && a.cols == cols_ && a.entries == entries_ && a.row_of == row_of_,
            [] { return std::string("the rows belong to another matrix: its sizes or arrays differ"); });
    return {rows_, cols_, offsets_.data(), a.columns, a.values};
  }

 private:
  int rows_, cols_;
  Offset entries_;
  const int* row_of_;
  buffer<Offset> offsets_;
};
template <class Executor, class Value, class Offset>
rows_of_coo(const Executor&, const coo_view<Value, Offset>&) -> rows_of_coo<Offset>;
template <class Executor, class Value, class Offset>
rows_of_coo(const Executor&, const coo_buffers<Value, Offset>&) -> rows_of_coo<Offset>;

namespace detail {

/// The row of a slot. Slots provides row(slot), column(slot), has_entry(slot).
template <class Slots> struct row_of_slot {
  Slots of;
  const std::int64_t* slots;
  EVENLY_FN int operator()(std::int64_t i) const { return of.row(slots[i]); }
};
template <class Slots> struct column_of_slot {
  Slots of;
  const std::int64_t* slots;
  EVENLY_FN int operator()(std::int64_t i) const { return of.column(slots[i]); }
};
template <class Slots> struct has_entry_in {
  Slots of;
  EVENLY_FN bool operator()(std::int64_t slot) const { return of.has_entry(slot); }
};

/// Makes compressed rows of the slots with an entry; the entries of a row are in the order of slots.
template <class Offset, class Executor, class Slots, class Value>
csr_buffers<Value, Offset> entries_in_slots(const Executor& exec, int rows, int cols, std::int64_t count,
                                            const Slots& of, const Value* values) {
  const auto slots = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(count));
  const std::int64_t found =
      count == 0 ? 0 : select(exec, counting{}, count, has_entry_in<Slots>{of}, slots.data());
  const auto size = static_cast<std::size_t>(found);
  coo_buffers<Value, Offset> made{rows, cols, make_buffer<int>(exec, size), make_buffer<int>(exec, size),
                                  make_buffer<Value>(exec, size)};
  tabulate(exec, found, row_of_slot<Slots>{of, slots.data()}, made.row_of.data());
  tabulate(exec, found, column_of_slot<Slots>{of, slots.data()}, made.columns.data());
  tabulate(exec, found, element_of_numbered<Value, std::int64_t>{values, slots.data()}, made.values.data());
  return to_csr(exec, made.view());
}

} // namespace detail

static_assert(matrix_of_tiles<coo_view<float>>);

} // namespace evenly
