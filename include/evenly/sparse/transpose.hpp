// SPDX-License-Identifier: Apache-2.0
// The transpose of a sparse matrix: entries sorted by their columns, those of one column in the order of their rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "evenly/algorithms/expand.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/sort.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/usual.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

namespace detail {

/// How many of the sorted columns are less than one.
template <class Offset> struct entries_before_column {
  const int* sorted;
  Offset entries;
  EVENLY_FN Offset operator()(std::int64_t column) const {
    return first_past(Offset{0}, entries, [&](Offset e) { return sorted[e] >= column; });
  }
};
template <class T, class Number> struct element_of_numbered {
  const T* elements;
  const Number* numbers;
  EVENLY_FN T operator()(std::int64_t i) const { return elements[numbers[i]]; }
};

/// The first of a view's entries, and how many there are.
template <class Offset> struct entry_range {
  Offset first = 0;
  std::int64_t count = 0;
};
template <class Executor, class Value, class Offset>
entry_range<Offset> entries_of(const Executor& exec, const csr_view<Value, Offset>& a) {
  if (a.rows == 0) return {};
  Offset first = 0, end = 0;
  exec.copy_to_host(&first, a.offsets, sizeof(first));
  exec.copy_to_host(&end, a.offsets + a.rows, sizeof(end));
  return {first, static_cast<std::int64_t>(end) - first};
}

} // namespace detail

/// A^T, on `exec`, where the view lies. Its columns ascend in each row; entries of A at one place stay apart, in their
/// order. Throws invalid_argument for sizes below 0 and for null offsets; columns, in [0, a.cols), are not looked at.
/// Allocates and synchronises. Cost: a stable sort of 4-byte keys with a number of Offset each, some reads and writes
/// of each entry, a search for each row of A^T; meanwhile 8 + 2 sizeof(Offset) bytes for each entry, and the sort's.
template <class Executor, class Value, signed_of_32_or_64_bits Offset>
csr_buffers<Value, Offset> transpose(const Executor& exec, const csr_view<Value, Offset>& a) {
  require(a.rows >= 0 && a.cols >= 0, [&] {
    return "a matrix of " + std::to_string(a.rows) + " rows and " + std::to_string(a.cols) +
           " columns: sizes must not be negative";
  });
  require(a.rows == 0 || a.offsets != nullptr,
          [&] { return "offsets are null, and the matrix has " + std::to_string(a.rows) + " rows"; });
  const auto all = detail::entries_of(exec, a);
  const auto size = static_cast<std::size_t>(all.count);
  csr_buffers<Value, Offset> t{a.cols, a.rows,
                               make_buffer<Offset>(exec, static_cast<std::size_t>(a.cols) + 1),
                               make_buffer<int>(exec, size), make_buffer<Value>(exec, size)};
  if (all.count == 0) {
    exec.fill_zero(t.offsets.data(), t.offsets.size() * sizeof(Offset));
    return t;
  }
  const auto rows = make_buffer<int>(exec, size), sorted = make_buffer<int>(exec, size);
  const auto numbers = make_buffer<Offset>(exec, size), order = make_buffer<Offset>(exec, size);
  tabulate(exec, all.count, detail::same_number{}, numbers.data());
  sort_by_key(exec, a.columns + all.first, numbers.data(), all.count, sorted.data(), order.data());
  tabulate(exec, std::int64_t{a.cols} + 1,
           detail::entries_before_column<Offset>{sorted.data(), static_cast<Offset>(all.count)},
           t.offsets.data());
  expand(exec, schedule_for_sums{}, csr_tile_set<Offset>(a.offsets, a.rows), rows.span());
  tabulate(exec, all.count, detail::element_of_numbered<int, Offset>{rows.data(), order.data()},
           t.columns.data());
  tabulate(exec, all.count, detail::element_of_numbered<Value, Offset>{a.values + all.first, order.data()},
           t.values.data());
  exec.synchronize(); // what is freed here may be of a resource that does not wait
  return t;
}

} // namespace evenly
