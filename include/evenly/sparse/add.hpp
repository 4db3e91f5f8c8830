// SPDX-License-Identifier: Apache-2.0
// Sums of sparse matrices. alpha A + beta B is computed as a sparse product: [alpha I, beta I] times A stacked on B.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "evenly/sparse/transpose.hpp"

namespace evenly {

namespace detail {

/// Offsets of the rows of A, then of the rows of B, from 0 on.
template <class OffsetA, class OffsetB> struct stacked_offsets {
  const OffsetA* a;
  const OffsetB* b;
  std::int64_t rows;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    if (i <= rows) return std::int64_t{a[i]} - a[0];
    return std::int64_t{a[rows]} - a[0] + b[i - rows] - b[0];
  }
};
/// The elements of two arrays as elements of T.
template <class T, class First = T, class Second = T> struct concatenated {
  const First* first;
  std::int64_t size;
  const Second* second;
  EVENLY_FN T operator()(std::int64_t i) const {
    return i < size ? static_cast<T>(first[i]) : static_cast<T>(second[i - size]);
  }
};
/// The column of each entry of the left factor: entry 2 i is for row i of A, entry 2 i + 1 for row i of B.
struct stacked_row {
  std::int64_t rows;
  EVENLY_FN int operator()(std::int64_t i) const { return static_cast<int>(i / 2 + (i % 2 == 0 ? 0 : rows)); }
};
template <class Value> struct alternating {
  Value even, odd;
  EVENLY_FN Value operator()(std::int64_t i) const { return i % 2 == 0 ? even : odd; }
};
struct twice {
  EVENLY_FN std::int64_t operator()(std::int64_t i) const { return 2 * i; }
};

} // namespace detail

/// The sum alpha A + beta B.
///
/// - a, b: views of the same sizes, on `exec`. Columns are int or std::int64_t, and are read in place.
/// - temporaries: the executor for all memory except the sum's.
/// - Returns a matrix on `exec`. Columns ascend and are distinct in each row, for any order in A and B. Entries
///   that cancel remain, with value 0. The bits are the same on every run and executor.
/// - Cost: a product with as many products as A and B have entries; temporary memory for copies of these entries.
/// - Synchronisation: allocates and synchronises, as spgemm does.
/// - Throws invalid_argument if the sizes of A and B differ, or for more than 2^30 rows.
template <std::signed_integral OffsetC = std::int64_t, class Executor, class Value, class OffsetA,
          class OffsetB, class ColumnA, class ColumnB>
csr_buffers<Value, OffsetC> add(const Executor& exec, const csr_view<Value, OffsetA, ColumnA>& a,
                                const csr_view<Value, OffsetB, ColumnB>& b,
                                std::type_identity_t<Value> alpha = 1, std::type_identity_t<Value> beta = 1,
                                const std::type_identity_t<Executor>* temporaries = nullptr) {
  const Executor& scratch = temporaries == nullptr ? exec : *temporaries;
  detail::check_factor("A", a);
  detail::check_factor("B", b);
  require(a.rows == b.rows && a.cols == b.cols, [&] {
    return "A has " + std::to_string(a.rows) + " rows and " + std::to_string(a.cols) + " columns, B has " +
           std::to_string(b.rows) + " and " + std::to_string(b.cols) + ": the sizes must be equal";
  });
  require(a.rows <= 1 << 30,
          [&] { return std::to_string(a.rows) + " rows exceed the maximum of a sum (2^30)"; });
  const auto of_a = detail::entries_of(exec, a);
  const auto of_b = detail::entries_of(exec, b);
  const std::int64_t rows = a.rows, entries = of_a.count + of_b.count;
  const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const csr_buffers<Value> stacked{
      static_cast<int>(2 * rows), a.cols, make_buffer<std::int64_t>(scratch, count(2 * rows + 1)),
      make_buffer<int>(scratch, count(entries)), make_buffer<Value>(scratch, count(entries))};
  const csr_buffers<Value> turns{
      a.rows, static_cast<int>(2 * rows), make_buffer<std::int64_t>(scratch, count(rows + 1)),
      make_buffer<int>(scratch, count(2 * rows)), make_buffer<Value>(scratch, count(2 * rows))};
  if (rows == 0)
    exec.fill_zero(stacked.offsets.data(), sizeof(std::int64_t));
  else
    tabulate(exec, 2 * rows + 1, detail::stacked_offsets<OffsetA, OffsetB>{a.offsets, b.offsets, rows},
             stacked.offsets.data());
  tabulate(
      exec, entries,
      detail::concatenated<int, ColumnA, ColumnB>{a.columns + of_a.first, of_a.count, b.columns + of_b.first},
      stacked.columns.data());
  tabulate(exec, entries,
           detail::concatenated<Value>{a.values + of_a.first, of_a.count, b.values + of_b.first},
           stacked.values.data());
  tabulate(exec, rows + 1, detail::twice{}, turns.offsets.data());
  tabulate(exec, 2 * rows, detail::stacked_row{rows}, turns.columns.data());
  tabulate(exec, 2 * rows, detail::alternating<Value>{alpha, beta}, turns.values.data());
  auto sum = spgemm<OffsetC>(exec, turns.view(), stacked.view(), temporaries);
  exec.synchronize(); // before the copies are freed
  return sum;
}

} // namespace evenly
