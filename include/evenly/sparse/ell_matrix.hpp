// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in ELLPACK format: each row has as many slots as the longest row has entries. The first entries of
// all rows are consecutive, then the second ones, and so on (work/ell.hpp).
//
//   auto e = evenly::to_ell(a, max_bytes);          // on the executor of a csr_matrix; throws if it would take more
//   auto y = e * x;                                 // with sparse/multiply.hpp
//   auto a = evenly::to_csr(e);
//   evenly::spmv(exec, schedule, e.view(), x, y);   // also to_ell(exec, view) and to_csr(exec, view)
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/sum_registers.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/owned_format.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/detail/first_fault.hpp"
#include "evenly/work/ell.hpp"

namespace evenly {

namespace detail {

/// Finds rows with an entry outside the matrix.
template <class Offset> struct check_rows_of_slots {
  struct report {
    std::int64_t at;
    Offset rank;
    int column;
  };
  ell_layout<Offset, int> layout;
  const Offset* lengths;
  const int* columns;
  int cols;

  EVENLY_FN std::int64_t count() const { return layout.rows(); }
  EVENLY_FN Offset length(std::int64_t row) const { return smaller(lengths[row], layout.width()); }
  EVENLY_FN int column(std::int64_t row, Offset rank) const {
    return columns[layout.slot(static_cast<int>(row), rank)];
  }
  EVENLY_FN bool outside(std::int64_t row, Offset rank) const {
    return (column(row, rank) < 0) | (column(row, rank) >= cols);
  }
  EVENLY_FN bool bad(std::int64_t row) const {
    bool any = false;
    for (Offset rank = 0; rank < length(row); ++rank) any |= outside(row, rank);
    return any;
  }
  EVENLY_FN report report_of(std::int64_t at) const {
    if (at == no_fault) return {at, 0, 0};
    Offset rank = 0;
    while (!outside(at, rank)) ++rank;
    return {at, rank, column(at, rank)};
  }
  std::string message(const report& seen) const {
    return concat("entry ", seen.rank, " of row ", seen.at, " is in column ", seen.column, " of a matrix of ",
                  cols, " columns: they are counted from 0");
  }
};

} // namespace detail

/// Entry `rank` of a row, rank < lengths[row], is at layout.slot(row, rank). Empty slots have column -1.
template <class Value, signed_of_32_or_64_bits Offset = int> struct ell_view {
  using value_type = Value;
  using sum_type = Value;

  struct times_x_in_slot {
    ell_layout<Offset, int> layout;
    const int* columns;
    const Value* values;
    const Value* x;
    const Offset* lengths;
    EVENLY_FN Value operator()(int row, Offset, Offset rank) const {
      const Offset slot = layout.slot(row, rank);
      return values[slot] * x[columns[slot]];
    }
    /// Threads with consecutive rows then read each cache line once, together.
    EVENLY_FN bool has_adjacent_tiles() const { return layout.has_adjacent_rows(); }
    EVENLY_FN Value adjacent(int row, Offset, Offset rank) const {
      const Offset slot = layout.slot(row, rank);
      return load_streaming(values + slot) * read_only(x + load_streaming(columns + slot));
    }
    /// On cpu consecutive rows are summed slot by slot (reduce_tiles.hpp).
    static constexpr int max_strip = 8;
    bool sums_strips() const { return layout.has_adjacent_rows(); }
    void sum_strip(int row, int count, Value* sums) const {
      Value sum[max_strip] = {};
      Offset rank = 0;
      if (count == max_strip) {
        Offset common = layout.width(); // slots that all rows have
        for (int i = 0; i < max_strip; ++i) common = smaller(common, lengths[row + i]);
        for (; rank < common; ++rank) {
          const Offset slot = layout.slot(row, rank);
          EVENLY_UNROLL_REGISTERS
          for (int i = 0; i < max_strip; ++i) sum[i] = sum[i] + values[slot + i] * x[columns[slot + i]];
        }
      }
      EVENLY_UNROLL_REGISTERS
      for (int i = 0; i < max_strip; ++i) {
        if (i == count) break;
        for (Offset k = rank; k < lengths[row + i]; ++k) {
          const Offset slot = layout.slot(row + i, k);
          sum[i] = sum[i] + values[slot] * x[columns[slot]];
        }
        sums[i] = sum[i];
      }
    }
  };

  int rows = 0;
  int cols = 0;
  ell_layout<Offset, int> layout;
  const Offset* lengths = nullptr;
  const int* columns = nullptr;
  const Value* values = nullptr;

  auto tiles() const {
    return ell_tiles_by_length(layout, std::span<const Offset>(lengths, static_cast<std::size_t>(rows)));
  }
  times_x_in_slot product(const Value* x) const { return {layout, columns, values, x, lengths}; }
  update_y<Value> update(Value* y, Value alpha, Value beta) const { return {y, alpha, beta}; }
  template <class Visit> void for_each_array(std::int64_t, std::int64_t entries, const Visit& visit) const {
    const std::int64_t slots = entries == 0 ? 0 : layout.slots();
    visit("lengths", lengths, 0, rows);
    visit("columns", columns, 0, slots);
    visit("values", values, 0, slots);
  }
  /// The check of columns for owners (matrix_like.hpp).
  template <class Executor>
  detail::check_rows_of_slots<Offset> index_check(const Executor&, std::int64_t) const {
    return {layout, lengths, columns, cols};
  }
};

/// Owns the arrays of an ell_view (owned_format.hpp).
template <class Value, signed_of_32_or_64_bits Offset, template <class> class Array> struct ell_arrays {
  using executor_type = detail::host_if<Array>;

  int rows = 0;
  int cols = 0;
  ell_layout<Offset, int> layout = {};
  Array<Offset> lengths = {};
  Array<int> columns = {};
  Array<Value> values = {};

  template <template <class> class To, class Each>
  ell_arrays<Value, Offset, To> with(const Each& each) const {
    return {rows, cols, layout, each(lengths), each(columns), each(values)};
  }
  std::int64_t entries() const { return layout.slots(); } ///< with padding
  ell_view<Value, Offset> view() const {
    return {rows, cols, layout, lengths.data(), columns.data(), values.data()};
  }
  template <class To> auto to(const To& exec) const { return detail::copied(executor_type(), *this, exec); }
};
template <class Value, signed_of_32_or_64_bits Offset = int>
using ell_buffers = ell_arrays<Value, Offset, buffer>;
template <class Value, signed_of_32_or_64_bits Offset = int, class Executor = cpu>
using ell_matrix =
    detail::matrix_on<Executor, ell_arrays<Value, Offset, detail::host_array>, ell_buffers<Value, Offset>>;

namespace detail {

template <class Offset> struct length_of_row {
  const Offset* offsets;
  EVENLY_FN Offset operator()(std::int64_t row) const { return offsets[row + 1] - offsets[row]; }
};
/// The element of a slot, from the elements in compressed rows.
template <class T, class Offset> struct element_of_slot {
  int rows;
  const Offset* offsets;
  const T* elements;
  T padding;
  EVENLY_FN T operator()(std::int64_t slot) const {
    const std::int64_t row = slot % rows, rank = slot / rows;
    const Offset begin = offsets[row];
    return rank < offsets[row + 1] - begin ? elements[begin + rank] : padding;
  }
};
/// The element of an entry, from the elements in slots.
template <class T, class Offset> struct element_in_slot {
  ell_layout<Offset, int> layout;
  const int* row_of;
  const Offset* offsets;
  const T* elements;
  EVENLY_FN T operator()(std::int64_t k) const {
    const int row = row_of[k];
    return elements[layout.slot(row, static_cast<Offset>(k) - offsets[row])];
  }
};

} // namespace detail

/// Makes slots from compressed rows. O(slots). Allocates and synchronises. Throws invalid_argument if slots take more
/// than `max_bytes`, and names the required size; if Offset cannot count the slots; for negative sizes and null
/// offsets.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
ell_buffers<Value, Offset> to_ell(const Executor& exec, const csr_view<Value, Offset>& a,
                                  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max()) {
  const auto all = detail::entries_of(exec, a);
  Offset width = 0;
  if (a.rows > 0)
    width = reduce(exec, generated{detail::length_of_row<Offset>{a.offsets}}, a.rows, maximum<Offset>{});
  width = larger(width, Offset{0});
  detail::check_slots<Offset>("ELLPACK", static_cast<double>(a.rows) * static_cast<double>(width),
                              sizeof(int) + sizeof(Value), max_bytes);
  const auto rows = static_cast<std::size_t>(a.rows), slots = rows * static_cast<std::size_t>(width);
  ell_buffers<Value, Offset> made{a.rows,
                                  a.cols,
                                  ell_by_columns<Offset, int>(a.rows, width),
                                  make_buffer<Offset>(exec, rows),
                                  make_buffer<int>(exec, slots),
                                  make_buffer<Value>(exec, slots)};
  tabulate(exec, a.rows, detail::length_of_row<Offset>{a.offsets}, made.lengths.data());
  if (all.count == 0) return made;
  const auto count = static_cast<std::int64_t>(slots);
  tabulate(exec, count, detail::element_of_slot<int, Offset>{a.rows, a.offsets, a.columns, -1},
           made.columns.data());
  tabulate(exec, count, detail::element_of_slot<Value, Offset>{a.rows, a.offsets, a.values, Value{0}},
           made.values.data());
  return made;
}

/// Makes compressed rows of the same entries. O(entries). Allocates and synchronises.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
csr_buffers<Value, Offset> to_csr(const Executor& exec, const ell_view<Value, Offset>& a) {
  detail::check_matrix_sizes(a.rows, a.cols);
  csr_buffers<Value, Offset> made;
  made.rows = a.rows;
  made.cols = a.cols;
  const auto rows = static_cast<std::size_t>(a.rows);
  made.offsets = make_buffer<Offset>(exec, rows + 1);
  exec.fill_zero(made.offsets.data(), sizeof(Offset));
  if (a.rows == 0) return made;
  inclusive_scan(exec, a.lengths, a.rows, plus<Offset>{}, made.offsets.data() + 1);
  const csr_view<Value, Offset> by_rows{a.rows, a.cols, made.offsets.data(), nullptr, nullptr};
  const auto all = detail::entries_of(exec, by_rows);
  const auto row_of = detail::rows_of_entries(exec, by_rows, all.count);
  made.columns = make_buffer<int>(exec, static_cast<std::size_t>(all.count));
  made.values = make_buffer<Value>(exec, static_cast<std::size_t>(all.count));
  tabulate(exec, all.count,
           detail::element_in_slot<int, Offset>{a.layout, row_of.data(), made.offsets.data(), a.columns},
           made.columns.data());
  tabulate(exec, all.count,
           detail::element_in_slot<Value, Offset>{a.layout, row_of.data(), made.offsets.data(), a.values},
           made.values.data());
  exec.synchronize();
  return made;
}

/// The same on the executor of the csr_matrix `a`.
template <csr_owner A>
auto to_ell(const A& a, std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max()) {
  return detail::owned_where(a, [&](const auto& exec) { return to_ell(exec, a.view(), max_bytes); });
}

static_assert(matrix_of_tiles<ell_view<float>>);

} // namespace evenly
