// SPDX-License-Identifier: Apache-2.0
// Compressed rows with values of 16 bits, or without an array of values.
//
//   const auto p = evenly::to_pattern<float>(a);                                    // on the executor of a csr_matrix
//   const auto n = evenly::to_narrow<evenly::half>(a);                              // values of 2 bytes
//   auto y = n * x;                                                                 // with sparse/multiply.hpp
//   evenly::spmv(exec, schedule, evenly::pattern_of<float>(a.view()), x, y);        // every entry is 1: a graph
//   const auto stored = evenly::to_narrow<evenly::half>(exec, a.view());            // 2 bytes each; or bfloat16
//   evenly::spmv(exec, schedule, evenly::with_values(a.view(), stored.data()), x, y);
//
// x, y and sums have the wide type, so only the stored values are rounded. A plan for rows_of(a), made from
// view.tiles(), serves all of these views.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/reduce.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/owned_format.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

/// Values without an array: each entry is 1.
template <class Value> struct all_ones {
  using value_type = Value;
  using stored_type = char; ///< of none
  struct entry {
    EVENLY_FN static Value times(Value x) { return x; }
  };
  template <class Offset> EVENLY_FN Value times(Offset, Value x) const { return x; }
  template <class Offset> EVENLY_FN entry streaming(Offset) const { return {}; }
};
/// Values of 16 bits, converted to float when they are multiplied.
template <narrow_float Stored> struct narrow_values {
  using value_type = float;
  using stored_type = Stored;
  struct entry {
    Stored value;
    EVENLY_FN float times(float x) const { return float{value} * x; }
  };
  const Stored* values;
  template <class Offset> EVENLY_FN float times(Offset k, float x) const { return entry{values[k]}.times(x); }
  template <class Offset> EVENLY_FN entry streaming(Offset k) const {
    return {Stored::of_bits(load_streaming(&values[k].bits))};
  }
};

/// An array of columns, with the interface of packed_column_view.
struct stored_columns {
  const int* columns;
  template <class Offset> EVENLY_FN int operator[](Offset k) const { return columns[k]; }
  template <class Offset> EVENLY_FN int streaming(Offset k) const { return load_streaming(columns + k); }
};

/// The contribution of an entry to its row's sum, as times_x, for columns or values that are not plain arrays.
template <class Columns, class Values, class Offset> struct times_x_stored {
  using value_type = typename Values::value_type;
  Columns columns;
  Values values;
  const value_type* x;
  EVENLY_FN value_type operator()(Offset k) const { return values.times(k, x[columns[k]]); }
  EVENLY_FN const void* gathers_from(Offset k) const { return &x[columns[k]]; }
  EVENLY_FN value_type streaming(Offset k) const {
    return values.streaming(k).times(x[columns.streaming(k)]);
  }

  /// The same in two steps.
  struct fetched {
    int column;
    typename Values::entry entry;
  };
  EVENLY_FN fetched fetch(Offset k) const { return {columns.streaming(k), values.streaming(k)}; }
  EVENLY_FN value_type of_fetched(const fetched& of) const {
    return of.entry.times(read_only(x + of.column));
  }
};

/// offsets: rows + 1 values, not decreasing. Columns and Values are indexed by [offsets[0], offsets[rows]).
template <class Values, signed_of_32_or_64_bits Offset = int> struct compact_view {
  using value_type = typename Values::value_type;
  using sum_type = value_type;

  int rows = 0;
  int cols = 0;
  const Offset* offsets = nullptr;
  const int* columns = nullptr;
  Values values = {};

  csr_tile_set<Offset> tiles() const { return {offsets, rows}; }
  times_x_stored<stored_columns, Values, Offset> product(const value_type* x) const {
    return {{columns}, values, x};
  }
  update_y<value_type> update(value_type* y, value_type alpha, value_type beta) const {
    return {y, alpha, beta};
  }
  template <class Visit>
  void for_each_array(std::int64_t first_entry, std::int64_t entries, const Visit& visit) const {
    visit("offsets", offsets, 0, rows == 0 ? 0 : std::int64_t{rows} + 1);
    visit("columns", columns, first_entry, entries);
    if constexpr (requires { values.values; }) visit("values", values.values, first_entry, entries);
  }
  /// The check of columns for owners of `size` entries (matrix_like.hpp).
  template <class Executor> auto index_check(const Executor& exec, std::int64_t size) const {
    return detail::check_of_lines(exec, offsets, rows, columns, cols, size);
  }
};

/// Owns the arrays of a compact_view (owned_format.hpp). Patterns have no values.
template <class Values, signed_of_32_or_64_bits Offset, template <class> class Array> struct compact_arrays {
  using executor_type = detail::host_if<Array>;

  int rows = 0;
  int cols = 0;
  Array<Offset> offsets = {}; ///< rows + 1 values
  Array<int> columns = {};
  Array<typename Values::stored_type> values = {};

  template <template <class> class To, class Each>
  compact_arrays<Values, Offset, To> with(const Each& each) const {
    return {rows, cols, each(offsets), each(columns), each(values)};
  }
  std::int64_t entries() const { return static_cast<std::int64_t>(columns.size()); }
  compact_view<Values, Offset> view() const {
    if constexpr (requires { Values{values.data()}; })
      return {rows, cols, offsets.data(), columns.data(), {values.data()}};
    else
      return {rows, cols, offsets.data(), columns.data(), {}};
  }
  template <class To> auto to(const To& exec) const { return detail::copied(executor_type(), *this, exec); }
};
template <class Values, signed_of_32_or_64_bits Offset = int, class Executor = cpu>
using compact_matrix = detail::matrix_on<Executor, compact_arrays<Values, Offset, detail::host_array>,
                                         compact_arrays<Values, Offset, buffer>>;
template <class Value, signed_of_32_or_64_bits Offset = int, class Executor = cpu>
using pattern_matrix = compact_matrix<all_ones<Value>, Offset, Executor>;
template <narrow_float Stored, signed_of_32_or_64_bits Offset = int, class Executor = cpu>
using narrow_matrix = compact_matrix<narrow_values<Stored>, Offset, Executor>;

/// The pattern of a matrix, as a matrix of Value with entries of 1. The values of `a` are not read, and may be null. y
/// = A x reads 4 bytes per entry in addition to the gathers. Throws as rows_of.
template <class Value, class Any, class Offset>
compact_view<all_ones<Value>, Offset> pattern_of(const csr_view<Any, Offset>& a) {
  rows_of(a);
  return {a.rows, a.cols, a.offsets, a.columns, {}};
}

/// The pattern of `a` with values of 16 bits, indexed as a.values; to_narrow makes them. y = A x reads 6 bytes per
/// entry in addition to the gathers. Throws as rows_of.
template <class Any, class Offset, narrow_float Stored>
compact_view<narrow_values<Stored>, Offset> with_values(const csr_view<Any, Offset>& a,
                                                        const Stored* values) {
  rows_of(a);
  return {a.rows, a.cols, a.offsets, a.columns, {values}};
}

namespace detail {

/// The number of the entry, if its value is finite and its conversion is not.
template <class Stored, class Value> struct first_too_large {
  const Value* values;
  std::int64_t first;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const Value value = values[first + i];
    const float stored = Stored(static_cast<float>(value));
    const bool lost = value - value == 0 && !(stored - stored == 0);
    return lost ? first + i : std::numeric_limits<std::int64_t>::max();
  }
};
template <class Stored, class Value> struct stored_value {
  const Value* values;
  std::int64_t first;
  EVENLY_FN Stored operator()(std::int64_t k) const {
    return k < first ? Stored(0.0f) : Stored(static_cast<float>(values[k]));
  }
};

} // namespace detail

/// The values of a matrix in 16 bits, each rounded to the nearest, indexed as a.values; 0 before the first entry.
/// Infinities and NaN remain.
///
/// - Complexity: O(entries). Allocates and synchronises.
/// - Throws invalid_argument if a finite value would become infinite, and names the first such entry; also as rows_of.
template <narrow_float Stored, class Executor, class Value, signed_of_32_or_64_bits Offset>
buffer<Stored> to_narrow(const Executor& exec, const csr_view<Value, Offset>& a) {
  const auto all = detail::entries_of(exec, a);
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const std::int64_t first = all.first, count = all.count;
  if (count > 0) {
    const std::int64_t lost = reduce(exec, generated{detail::first_too_large<Stored, Value>{a.values, first}},
                                     count, minimum<std::int64_t>{});
    require(lost == none, [&] {
      Value value{};
      exec.copy_to_host(&value, a.values + lost, sizeof(Value));
      return "values[" + std::to_string(lost) + "] = " + std::to_string(value) +
             " does not fit into 16 bits: the largest value is " +
             std::to_string(float{Stored::of_bits(std::same_as<Stored, half> ? 0x7BFF : 0x7F7F)});
    });
  }
  auto made = make_buffer<Stored>(exec, static_cast<std::size_t>(count > 0 ? first + count : 0));
  tabulate(exec, static_cast<std::int64_t>(made.size()), detail::stored_value<Stored, Value>{a.values, first},
           made.data());
  exec.synchronize();
  return made;
}

namespace detail {

/// A copy of the rows and columns of `a`, with other values.
template <class Values, class Executor, class Value, class Offset>
compact_arrays<Values, Offset, buffer> compact_of(const Executor& exec, const csr_view<Value, Offset>& a,
                                                  const typename Values::stored_type* values) {
  const auto all = entries_of(exec, a);
  return {a.rows, a.cols, copy_of_offsets(exec, a.offsets, a.rows, all.first),
          copy_of_elements(exec, a.columns + all.first, all.count),
          values == nullptr ? buffer<typename Values::stored_type>()
                            : copy_of_elements(exec, values + all.first, all.count)};
}

template <class Columns, class Offset> struct column_of_stored {
  Columns columns;
  Offset first;
  EVENLY_FN int operator()(std::int64_t i) const { return columns[static_cast<Offset>(first + i)]; }
};
template <class Values, class Offset> struct value_of_stored {
  using value_type = typename Values::value_type;
  Values values;
  Offset first;
  EVENLY_FN value_type operator()(std::int64_t i) const {
    return values.times(static_cast<Offset>(first + i), value_type{1});
  }
};
/// Makes compressed rows with columns and values as arrays. View: a compact_view or packed_view.
template <class Executor, class View, class Offset>
csr_buffers<typename View::value_type, Offset> csr_of_stored(const Executor& exec, const View& a,
                                                             const Offset* offsets) {
  using value = typename View::value_type;
  const auto all = entries_of(exec, csr_view<value, Offset>{a.rows, a.cols, offsets, nullptr, nullptr});
  const auto size = static_cast<std::size_t>(all.count);
  csr_buffers<value, Offset> made{a.rows, a.cols, copy_of_offsets(exec, offsets, a.rows, all.first),
                                  make_buffer<int>(exec, size), make_buffer<value>(exec, size)};
  tabulate(exec, all.count, column_of_stored<decltype(a.columns), Offset>{a.columns, all.first},
           made.columns.data());
  tabulate(exec, all.count, value_of_stored<decltype(a.values), Offset>{a.values, all.first},
           made.values.data());
  return made;
}

} // namespace detail

/// Makes compressed rows on `exec`: of a pattern, with values of 1; or of values of 16 bits, as floats. O(rows +
/// entries). Allocates and synchronises. Indices are not checked.
template <class Executor, class Values, signed_of_32_or_64_bits Offset>
auto to_csr(const Executor& exec, const compact_view<Values, Offset>& a) {
  return detail::csr_of_stored(exec, a, a.offsets);
}

/// An owned pattern on the executor of the csr_matrix `a`. Copies rows and columns.
template <class Value, csr_owner A> auto to_pattern(const A& a) {
  return detail::owned_where(
      a, [&](const auto& exec) { return detail::compact_of<all_ones<Value>>(exec, a.view(), nullptr); });
}
template <narrow_float Stored, csr_owner A> auto to_narrow(const A& a) {
  return detail::owned_where(a, [&](const auto& exec) {
    const auto values = to_narrow<Stored>(exec, a.view());
    return detail::compact_of<narrow_values<Stored>>(exec, a.view(), values.data());
  });
}

static_assert(matrix_of_tiles<compact_view<all_ones<double>>>);
static_assert(matrix_of_tiles<compact_view<narrow_values<half>>>);

} // namespace evenly
