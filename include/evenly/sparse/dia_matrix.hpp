// SPDX-License-Identifier: Apache-2.0
// A sparse matrix by diagonals. Each diagonal with an entry is stored whole, one value per row (work/dia.hpp).
//
//   auto d = evenly::to_dia(a, max_bytes);          // on the executor of a csr_matrix; throws if it would take more
//   auto y = d * x;                                 // with sparse/multiply.hpp
//   auto a = evenly::to_csr(d);                     // the values other than 0
//   evenly::spmv(exec, schedule, d.view(), x, y);   // also to_dia(exec, view) and to_csr(exec, view)
//
// All values of a stored diagonal inside the matrix count as entries: zeros are multiplied, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/coo_matrix.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/sum_registers.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/owned_format.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/dia.hpp"

namespace evenly {

namespace detail {

/// sums[i] = the product of row `row` + i with x, for `count` rows, at most MaxCount. Adds in the order of
/// diagonals.
template <int RegisterBytes, int MaxCount, class Value, class Offset>
void sum_along_diagonals(const dia_tile_set<Offset, int>& by_rows, const Value* values, const Value* x,
                         int row, int count, Value* sums) {
  constexpr bool in_registers =
      RegisterBytes > 0 && (std::is_same_v<Value, float> || std::is_same_v<Value, double>);
  const Offset diagonals = by_rows.diagonals();
  if constexpr (in_registers) {
    if (count == MaxCount && by_rows.reaches_all(row, count)) {
      using lanes = typename lanes_of_values<Value, RegisterBytes>::type;
      constexpr int lane_count = RegisterBytes / static_cast<int>(sizeof(Value)),
                    registers = MaxCount / lane_count;
      lanes sum[registers] = {};
      for (Offset d = 0; d < diagonals; ++d) {
        const Value* const from = values + by_rows.slot(row, d);
        const Value* const with = x + by_rows.column(row, d);
        EVENLY_UNROLL_REGISTERS
        for (int i = 0; i < registers; ++i) {
          lanes a, b;
          std::memcpy(&a, from + i * lane_count, sizeof(a));
          std::memcpy(&b, with + i * lane_count, sizeof(b));
          sum[i] += a * b;
        }
      }
      std::memcpy(sums, &sum, sizeof(sum));
      return;
    }
  }
  for (int i = 0; i < count; ++i) sums[i] = Value{};
  for (Offset d = 0; d < diagonals; ++d) {
    const std::int64_t column = by_rows.column(row, d);
    const auto first = static_cast<int>(larger<std::int64_t>(0, -column));
    const auto last = static_cast<int>(smaller<std::int64_t>(count, by_rows.columns() - column));
    const Offset slot = by_rows.slot(row, d);
    for (int i = first; i < last; ++i) sums[i] = sums[i] + values[slot + i] * x[column + i];
  }
}

} // namespace detail

/// values: diagonal d in row r is at d * rows + r. Slots outside the matrix are 0.
template <class Value, signed_of_32_or_64_bits Offset = int> struct dia_view {
  using value_type = Value;
  using sum_type = Value;

  struct times_x_of_diagonal {
    dia_tile_set<Offset, int> rows;
    const Value* values;
    const Value* x;
    EVENLY_FN Value operator()(int row, Offset, Offset rank) const {
      const Offset d = rows.diagonal(row, rank);
      return values[rows.slot(row, d)] * x[rows.column(row, d)];
    }
    /// Threads with consecutive rows read consecutive values, so each cache line is read once.
    EVENLY_FN static constexpr bool has_adjacent_tiles() { return true; }
    EVENLY_FN Value adjacent(int row, Offset, Offset rank) const {
      const Offset d = rows.diagonal(row, rank);
      return load_streaming(values + rows.slot(row, d)) * read_only(x + rows.column(row, d));
    }
    /// On cpu consecutive rows are summed along their diagonals (reduce_tiles.hpp).
    static constexpr int max_strip = 256 / sizeof(Value) > 1 ? 256 / sizeof(Value) : 1;
    bool sums_strips() const { return true; }
    template <int RegisterBytes = detail::sum_register_bytes>
    void sum_strip(int row, int count, Value* sums) const {
      detail::sum_along_diagonals<RegisterBytes, max_strip>(rows, values, x, row, count, sums);
    }
  };

  int rows = 0;
  int cols = 0;
  dia_tile_set<Offset, int> by_rows;
  const Value* values = nullptr;

  const dia_tile_set<Offset, int>& tiles() const { return by_rows; }
  times_x_of_diagonal product(const Value* x) const { return {by_rows, values, x}; }
  update_y<Value> update(Value* y, Value alpha, Value beta) const { return {y, alpha, beta}; }
  template <class Visit> void for_each_array(std::int64_t, std::int64_t, const Visit& visit) const {
    visit("diagonals", by_rows.there(), 0, by_rows.diagonals());
    visit("values", values, 0, std::int64_t{by_rows.diagonals()} * rows);
  }
};

/// Owns the arrays of a dia_view (owned_format.hpp).
template <class Value, signed_of_32_or_64_bits Offset, template <class> class Array> struct dia_arrays {
  using executor_type = detail::host_if<Array>;

  int rows = 0;
  int cols = 0;
  std::vector<int> diagonals = {}; ///< column - row of each, ascending; on the host
  Array<int> there = {};           ///< the same on the executor
  Array<Value> values = {};

  template <template <class> class To, class Each>
  dia_arrays<Value, Offset, To> with(const Each& each) const {
    return {rows, cols, diagonals, each(there), each(values)};
  }
  std::int64_t entries() const { return std::ssize(diagonals) * rows; } ///< with slots outside the matrix
  dia_view<Value, Offset> view() const {
    return {rows, cols, dia_tiles<Offset>(rows, cols, diagonals, static_cast<const int*>(there.data())),
            values.data()};
  }
  template <class To> auto to(const To& exec) const { return detail::copied(executor_type(), *this, exec); }
};
template <class Value, signed_of_32_or_64_bits Offset = int>
using dia_buffers = dia_arrays<Value, Offset, buffer>;
template <class Value, signed_of_32_or_64_bits Offset = int, class Executor = cpu>
using dia_matrix =
    detail::matrix_on<Executor, dia_arrays<Value, Offset, detail::host_array>, dia_buffers<Value, Offset>>;

namespace detail {

struct diagonal_of_entry {
  const int* row_of;
  const int* columns;
  EVENLY_FN int operator()(std::int64_t i) const { return columns[i] - row_of[i]; }
};
struct slot_in_diagonals {
  int rows;
  const int* row_of;
  const int* columns;
  const int* diagonals;
  int count;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const int row = row_of[i], diagonal = columns[i] - row;
    const int at = first_past(0, count, [&](int d) { return diagonals[d] >= diagonal; });
    return std::int64_t{at} * rows + row;
  }
};
/// The row and column of a slot of stored diagonals.
template <class Value> struct slots_of_diagonals {
  int rows, cols;
  const int* diagonals;
  const Value* values;
  EVENLY_FN int row(std::int64_t slot) const { return static_cast<int>(slot % rows); }
  EVENLY_FN int column(std::int64_t slot) const { return row(slot) + diagonals[slot / rows]; }
  EVENLY_FN bool has_entry(std::int64_t slot) const {
    return 0 <= column(slot) && column(slot) < cols && values[slot] != Value{0};
  }
};

} // namespace detail

/// Makes diagonals from compressed rows. Cost: a sort of the entries' diagonals, and O(slots). Allocates and
/// synchronises.
///
/// Throws invalid_argument if slots take more than `max_bytes`, and names the required size; if Offset cannot count the
/// slots; if two entries are at one position; for negative sizes and null offsets.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
dia_buffers<Value, Offset> to_dia(const Executor& exec, const csr_view<Value, Offset>& a,
                                  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max()) {
  const auto all = detail::entries_of(exec, a);
  const auto row_of = detail::rows_of_entries(exec, a, all.count);
  const int* const columns = a.columns + all.first;
  const auto of_entry = make_buffer<int>(exec, static_cast<std::size_t>(all.count));
  tabulate(exec, all.count, detail::diagonal_of_entry{row_of.data(), columns}, of_entry.data());
  dia_buffers<Value, Offset> made{
      a.rows, a.cols, {}, detail::distinct_lines<Offset>(exec, of_entry.data(), all.count), {}};
  made.diagonals = to_host(exec, made.there);
  const auto count = static_cast<int>(made.diagonals.size());
  detail::check_slots<Offset>("storing " + std::to_string(count) + " diagonals",
                              static_cast<double>(count) * a.rows, sizeof(Value), max_bytes);
  const std::int64_t slots = std::int64_t{count} * a.rows;
  made.values = make_buffer<Value>(exec, static_cast<std::size_t>(slots));
  detail::fill_own_slots(exec, "diagonals", all.count, a.values + all.first,
                         detail::slot_in_diagonals{a.rows, row_of.data(), columns, made.there.data(), count},
                         slots, made.values.data());
  return made;
}

/// Makes compressed rows of the values other than 0. Allocates and synchronises. Cost: O(slots), and a sort of rows.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
csr_buffers<Value, Offset> to_csr(const Executor& exec, const dia_view<Value, Offset>& a) {
  return detail::entries_in_slots<Offset>(
      exec, a.rows, a.cols, std::int64_t{a.by_rows.diagonals()} * a.rows,
      detail::slots_of_diagonals<Value>{a.rows, a.cols, a.by_rows.there(), a.values}, a.values);
}

/// The same on the executor of the csr_matrix `a`.
template <csr_owner A>
auto to_dia(const A& a, std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max()) {
  return detail::owned_where(a, [&](const auto& exec) { return to_dia(exec, a.view(), max_bytes); });
}

static_assert(matrix_of_tiles<dia_view<float>>);

} // namespace evenly
