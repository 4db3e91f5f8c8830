// SPDX-License-Identifier: Apache-2.0
// Concepts and checks of matrices for operations in one line: owners and views of every sparse format.
//
// Owners are checked, views are trusted. An operation in one line checks each owner that it reads, in one pass on the
// executor: the sizes of its arrays, and that every index of a row or column is inside the matrix. It does not read the
// indices of a view, which must be inside the matrix. make_plan(a) checks an owner once; products with that plan do not
// check again. check_matrix (operators.hpp) checks views, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/owned_format.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly {

template <class Value> struct dense_view;

namespace detail {

template <class V> inline constexpr bool is_csr_view = false;
template <class Value, class Offset> inline constexpr bool is_csr_view<csr_view<Value, Offset>> = true;
template <class V> inline constexpr bool is_dense_view = false;
template <class T> inline constexpr bool is_dense_view<dense_view<T>> = true;

/// The view of a matrix; the argument may be a view itself.
template <class A> const A& matrix_view(const A& a) { return a; }
template <class A>
requires requires(const A& a) { a.view(); }
auto matrix_view(const A& a) {
  return a.view();
}
template <class A>
using matrix_view_of = std::remove_cvref_t<decltype(matrix_view(std::declval<const A&>()))>;

template <class V> struct value_of_view {};
template <class V>
requires requires { typename V::value_type; }
struct value_of_view<V> {
  using type = typename V::value_type;
};
template <class Value, class Offset> struct value_of_view<csr_view<Value, Offset>> {
  using type = Value;
};
/// The element type of vectors that a matrix is multiplied with.
template <class A> using matrix_value = typename value_of_view<matrix_view_of<A>>::type;

/// A view that is not ordered by rows; each product finds the rows (csc_matrix.hpp).
template <class V>
concept view_without_rows = requires(const V& view) { in_rows(cpu(), view); };

} // namespace detail

/// A csr_matrix or a csr_view.
template <class A>
concept csr_like = detail::is_csr_view<detail::matrix_view_of<A>>;
/// A csr_matrix.
template <class A>
concept csr_owner = csr_like<A> && requires(const A& a) {
  typename A::executor_type;
  a.view();
};
/// An evenly::matrix or a dense_view.
template <class A>
concept dense_like = detail::is_dense_view<detail::matrix_view_of<A>>;
/// A matrix in any sparse format.
template <class A>
concept sparse_like = csr_like<A> || matrix_of_tiles<detail::matrix_view_of<A>> ||
                      detail::view_without_rows<detail::matrix_view_of<A>>;

namespace detail {

/// Throws invalid_argument if a size is negative, an owner has arrays of the wrong sizes, or one on the host has a last
/// offset beyond its entries.
template <class A> void require_whole_matrix(const A& a) {
  if constexpr (format_arrays<A>) {
    require_array_sizes(a);
  } else {
    const auto& view = matrix_view(a);
    check_matrix_sizes(view.rows, view.cols);
    if constexpr (csr_like<A> && requires {
                    a.offsets.size();
                    a.values.size();
                  })
      require_csr_sizes(a.rows, a.cols, a.offsets.size(), a.columns.size(), a.values.size());
    if constexpr (csr_like<A> && requires { a.offsets.back(); })
      require_end_of_lines(a.offsets.back(), static_cast<std::int64_t>(a.columns.size()));
  }
}

/// Finds entries outside the matrix.
struct check_columns {
  struct report {
    std::int64_t at;
    int column;
  };
  const int* columns; ///< from the first entry on
  std::int64_t entries;
  int cols;
  std::int64_t first = 0; ///< the number of the first entry
  line_words words = {};

  EVENLY_FN std::int64_t count() const { return entries; }
  EVENLY_FN bool bad(std::int64_t k) const { return (columns[k] < 0) | (columns[k] >= cols); }
  EVENLY_FN report report_of(std::int64_t at) const { return {at, at == no_fault ? 0 : columns[at]}; }
  std::string message(const report& seen) const {
    return concat(words.entry, " ", seen.at + first, " is in ", words.column, " ", seen.column,
                  " of a matrix of ", cols, " ", words.column, "s: they are counted from 0");
  }
};

/// Returns the entries of `lines` compressed lines on `exec`: [offsets[0], offsets[lines]). Throws invalid_argument if
/// they end beyond `size`, the number of entries in memory.
template <class Executor, class Offset>
std::pair<std::int64_t, std::int64_t> entries_of_lines(const Executor& exec, const Offset* offsets,
                                                       std::int64_t lines, std::int64_t size,
                                                       const line_words& words = {}) {
  if (lines == 0) return {};
  Offset first = 0, end = 0;
  exec.copy_to_host(&first, offsets, sizeof(first));
  exec.copy_to_host(&end, offsets + lines, sizeof(end));
  require_end_of_lines(end, size, words);
  return {first, first < 0 ? 0 : larger<std::int64_t>(end - first, 0)};
}

/// The check of the columns of compressed lines.
template <class Executor, class Offset>
check_columns check_of_lines(const Executor& exec, const Offset* offsets, std::int64_t lines,
                             const int* columns, int cols, std::int64_t size, const line_words& words = {}) {
  const auto [first, count] = entries_of_lines(exec, offsets, lines, size, words);
  return {count == 0 ? columns : columns + first, count, cols, first, words};
}

/// Throws invalid_argument with the check's message if it finds a fault. Waits.
template <class Executor, class Check> void require_no_fault(const Executor& exec, const Check& check) {
  if (check.count() == 0) return;
  const auto seen = first_fault(exec, check, check.count());
  require(seen.at == no_fault, [&] { return check.message(seen); });
}

/// The number of entries that a matrix has memory for, as far as it is known.
template <class A> std::int64_t owned_entries(const A& a) {
  if constexpr (csr_owner<A>)
    return static_cast<std::int64_t>(a.columns.size());
  else if constexpr (format_arrays<A>)
    return a.entries();
  else
    return std::numeric_limits<std::int64_t>::max();
}

/// Throws invalid_argument if an index is outside the matrix, and names the first. Waits. Requires that offsets do not
/// decrease.
template <class Executor, class A> void check_indices(const Executor& exec, const A& a) {
  const auto& view = matrix_view(a);
  const std::int64_t size = owned_entries(a);
  if constexpr (csr_like<A>)
    require_no_fault(exec, check_of_lines(exec, view.offsets, view.rows, view.columns, view.cols, size));
  else if constexpr (requires { view.index_check(exec, size); })
    require_no_fault(exec, view.index_check(exec, size));
}
/// The same for an owner. Views are not checked.
template <class Executor, class A> void require_indices(const Executor& exec, const A& a) {
  if constexpr (csr_owner<A> || format_arrays<A>) check_indices(exec, a);
}

/// Makes an owner of make(exec) on the executor `exec` of `a`, which is checked.
template <class A, class Make> auto owned_where(const A& a, const Make& make) {
  require_whole_matrix(a);
  const auto exec = executor_of_data<cpu>(a);
  require_indices(exec, a);
  return owned_by(exec, make(exec));
}

} // namespace detail

/// Makes compressed rows of a matrix in any format, on its executor. Allocates and synchronises. Throws
/// invalid_argument for arrays of wrong sizes and for an index outside the matrix; it names the first.
template <format_arrays A>
requires requires { requires executor<typename A::executor_type>; }
auto to_csr(const A& a) {
  return detail::owned_where(a, [&](const auto& exec) { return to_csr(exec, a.view()); });
}

} // namespace evenly
