// SPDX-License-Identifier: Apache-2.0
// Concepts of matrices for operations in one line: owners and views of every sparse format.
#pragma once

#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/owned_format.hpp"

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
      require_csr_end(a.offsets.back(), a.columns.size());
  }
}

/// Makes an owner of make(exec) on the executor `exec` of `a`.
template <class A, class Make> auto owned_where(const A& a, const Make& make) {
  require_whole_matrix(a);
  const auto exec = executor_of_data<cpu>(a);
  return owned_by(exec, make(exec));
}

} // namespace detail

/// Makes compressed rows of a matrix in any format, on its executor. Allocates and synchronises.
template <format_arrays A>
requires requires { requires executor<typename A::executor_type>; }
auto to_csr(const A& a) {
  return detail::owned_where(a, [&](const auto& exec) { return to_csr(exec, a.view()); });
}

} // namespace evenly
