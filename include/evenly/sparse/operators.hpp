// SPDX-License-Identifier: Apache-2.0
// Products and sums of matrices in one line: operators, and functions that take their sizes from their arguments.
//
//   auto y = a * x;                    // sparse matrix times vector: a std::vector, an array, a std::span, ...
//   auto c = a * b;                    // times a dense matrix (dense result), or times a sparse one (sparse result)
//   auto s = a + b;                    // of sparse matrices
//   auto t = evenly::transpose(a);
//   evenly::spmv(a, x, y);             // y = A x in memory that is there
//   evenly::spmv(a, x, y, 2, 1);       // y = 2 A x + y
//
// `a` is a csr_matrix, its view, or for products with vectors any other format of this folder. The optional last
// argument is the environment (execution/environment.hpp); by default operations run where the matrix is, under
// `automatic`. A product plans at each call; a plan of its rows, made once, saves that:
//
//   auto plan = evenly::make_plan(a);
//   for (int i = 0; i < 100; ++i) evenly::spmv(a, x, y, plan);
//
// Throw invalid_argument for sizes that do not fit and arrays that overlap. Columns of entries are not looked at: they
// are in [0, cols), as those of files that evenly::io reads are (check_matrix tells). Bits repeat on every run under
// the same schedule and executor. Forms that return a result allocate and synchronise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/schedules/default_plan.hpp"
#include "evenly/schedules/detail/inspect_tiles.hpp"
#include "evenly/sparse/add.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/detail/entries.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/matrix.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "evenly/sparse/spmm.hpp"
#include "evenly/sparse/spmv.hpp"
#include "evenly/sparse/transpose.hpp"
#include "evenly/work/detail/first_fault.hpp"

namespace evenly {

namespace detail {

template <class V> inline constexpr bool is_csr_view = false;
template <class Value, class Offset> inline constexpr bool is_csr_view<csr_view<Value, Offset>> = true;
template <class V> inline constexpr bool is_dense_view = false;
template <class T> inline constexpr bool is_dense_view<dense_view<T>> = true;

/// The view of a matrix, which may be a view itself.
template <class A> const A& matrix_view(const A& a) { return a; }
template <class A>
requires requires(const A& a) { a.view(); }
auto matrix_view(const A& a) {
  return a.view();
}
/// The same of what is written.
template <class A> auto written_view(A& a) {
  if constexpr (requires { a.view(); })
    return a.view();
  else
    return a;
}
template <class A>
using matrix_view_of = std::remove_cvref_t<decltype(matrix_view(std::declval<const A&>()))>;

} // namespace detail

/// A csr_matrix or a csr_view.
template <class A>
concept csr_like = detail::is_csr_view<detail::matrix_view_of<A>>;
/// An evenly::matrix or a dense_view.
template <class A>
concept dense_like = detail::is_dense_view<detail::matrix_view_of<A>>;
/// Any sparse format.
template <class A>
concept sparse_like = csr_like<A> || matrix_of_tiles<detail::matrix_view_of<A>>;

namespace detail {

template <class V> struct value_of_view {};
template <class V>
requires requires { typename V::value_type; }
struct value_of_view<V> {
  using type = typename V::value_type;
};
template <class Value, class Offset> struct value_of_view<csr_view<Value, Offset>> {
  using type = Value;
};
/// The type of vectors that a matrix is multiplied with.
template <class A> using matrix_value = typename value_of_view<matrix_view_of<A>>::type;
/// The type of elements of a dense matrix, const if they cannot be written.
template <class A>
using dense_value =
    std::remove_pointer_t<decltype(written_view(std::declval<std::remove_reference_t<A>&>()).data)>;

/// Throws invalid_argument if a size is negative, or an owner on the host has arrays of the wrong sizes.
template <class A> void require_whole_matrix(const A& a) {
  const auto& view = matrix_view(a);
  check_matrix_sizes(view.rows, view.cols);
  if constexpr (csr_like<A> && requires {
                  a.offsets.size();
                  a.values.size();
                })
    require_csr_sizes(a.rows, a.cols, a.offsets.size(), a.columns.size(), a.values.size());
}

/// Calls body(how) with the plan or the schedule of `env`, or `automatic`.
template <class E, class S, class Body>
decltype(auto) with_schedule(const environment<E, S>& env, work_kind work, const Body& body) {
  if constexpr (is_plan_reference<S>)
    return body(*env.schedule().of);
  else
    return body(schedule_of(env, work));
}

/// A matrix of an operation's result for its caller.
template <class Offset, class Executor, class Value>
csr_matrix<Value, Offset, Executor> owned_by(const Executor& exec, csr_buffers<Value, Offset> arrays) {
  if constexpr (std::is_same_v<Executor, cpu>)
    return to_host(exec, arrays);
  else
    return {exec, std::move(arrays)};
}

/// Finds entries outside the matrix.
struct check_columns {
  struct report {
    std::int64_t at;
    int column;
  };
  const int* columns;
  std::int64_t entries;
  int cols;

  EVENLY_FN std::int64_t count() const { return entries; }
  EVENLY_FN bool bad(std::int64_t k) const { return columns[k] < 0 || columns[k] >= cols; }
  EVENLY_FN report tell(std::int64_t at) const { return {at, at == no_fault ? 0 : columns[at]}; }
};

template <class A>
using offset_of = std::remove_cvref_t<decltype(*matrix_view(std::declval<const A&>()).offsets)>;

} // namespace detail

/// y = alpha A x + beta y; with beta = 0, y is not read. x has a.cols and y a.rows elements of the matrix's type, and
/// y overlaps neither x nor the matrix. Under a plan it neither allocates nor synchronises; asynchronous on cuda.
template <sparse_like A, detail::contiguous_values X, detail::contiguous_values Y,
          environment_argument Env = environment<>>
void spmv(const A& a, const X& x, Y&& y, std::type_identity_t<detail::matrix_value<A>> alpha,
          std::type_identity_t<detail::matrix_value<A>> beta, Env&& env = {}) {
  using T = detail::matrix_value<A>;
  static_assert(std::is_same_v<detail::value_of<X>, T> && std::is_same_v<detail::value_of<Y>, T>,
                "vectors must have the value type of the matrix, because evenly::spmv does not convert");
  static_assert(std::is_same_v<decltype(std::data(y)), T*>, "the elements of y must not be const");
  detail::require_whole_matrix(a);
  const auto where = detail::environment_of(env);
  const auto exec = detail::executor_for(where, a, x, y);
  detail::with_schedule(where, work_kind::gathered_sums, [&](auto&& how) {
    evenly::spmv(exec, how, detail::matrix_view(a), std::span<const T>(std::data(x), std::size(x)),
                 std::span<T>(std::data(y), std::size(y)), alpha, beta);
  });
}
template <sparse_like A, detail::contiguous_values X, detail::contiguous_values Y,
          environment_argument Env = environment<>>
void spmv(const A& a, const X& x, Y&& y, Env&& env = {}) {
  evenly::spmv(a, x, y, detail::matrix_value<A>{1}, detail::matrix_value<A>{0}, env);
}
/// A x, returned.
template <sparse_like A, detail::contiguous_values X, environment_argument Env = environment<>>
auto spmv(const A& a, const X& x, Env&& env = {}) {
  detail::require_whole_matrix(a);
  const auto exec = detail::executor_for(detail::environment_of(env), a, x);
  auto y = detail::make_values<detail::matrix_value<A>>(exec, detail::matrix_view(a).rows);
  evenly::spmv(a, x, y, env);
  exec.synchronize();
  return y;
}

/// C = alpha A B + beta C with dense B and C, of float or double; with beta = 0, C is not read. Asynchronous on cuda
/// under a plan.
template <csr_like A, dense_like B, dense_like C, environment_argument Env = environment<>>
void spmm(const A& a, const B& b, C&& c, std::type_identity_t<detail::matrix_value<A>> alpha,
          std::type_identity_t<detail::matrix_value<A>> beta, Env&& env = {}) {
  using T = detail::matrix_value<A>;
  static_assert(std::is_same_v<std::remove_const_t<detail::dense_value<B>>, T> &&
                    std::is_same_v<detail::dense_value<C>, T>,
                "dense matrices must have the value type of the sparse matrix, and C must not be const");
  detail::require_whole_matrix(a);
  const auto where = detail::environment_of(env);
  const auto exec = detail::executor_for(where, a, b, c);
  detail::with_schedule(where, work_kind::wide_sums, [&](auto&& how) {
    evenly::spmm(exec, how, detail::matrix_view(a), detail::matrix_view(b), detail::written_view(c), alpha,
                 beta);
  });
}
template <csr_like A, dense_like B, dense_like C, environment_argument Env = environment<>>
void spmm(const A& a, const B& b, C&& c, Env&& env = {}) {
  evenly::spmm(a, b, c, detail::matrix_value<A>{1}, detail::matrix_value<A>{0}, env);
}
/// A B, returned.
template <csr_like A, dense_like B, environment_argument Env = environment<>>
requires(!dense_like<A>)
auto spmm(const A& a, const B& b, Env&& env = {}) {
  detail::require_whole_matrix(a);
  const auto exec = detail::executor_for(detail::environment_of(env), a, b);
  matrix<detail::matrix_value<A>, std::remove_const_t<decltype(exec)>> c(detail::matrix_view(a).rows,
                                                                         detail::matrix_view(b).cols, exec);
  evenly::spmm(a, b, c, env);
  exec.synchronize();
  return c;
}

/// A B of sparse matrices, columns sorted in each row; its offsets are of A's type. Throws invalid_argument if it has
/// more entries than these count.
template <csr_like A, csr_like B, environment_argument Env = environment<>>
auto spgemm(const A& a, const B& b, Env&& env = {}) {
  static_assert(std::is_same_v<detail::matrix_value<A>, detail::matrix_value<B>>,
                "both matrices must have the same value type");
  detail::require_whole_matrix(a);
  detail::require_whole_matrix(b);
  const auto exec = detail::executor_for(detail::environment_without_schedule(env), a, b);
  using offset = detail::offset_of<A>;
  return detail::owned_by(exec, evenly::spgemm<offset>(exec, detail::matrix_view(a), detail::matrix_view(b)));
}
/// alpha A + beta B of sparse matrices of the same sizes. Throws as spgemm does.
template <csr_like A, csr_like B, environment_argument Env = environment<>>
auto add(const A& a, const B& b, std::type_identity_t<detail::matrix_value<A>> alpha = 1,
         std::type_identity_t<detail::matrix_value<A>> beta = 1, Env&& env = {}) {
  static_assert(std::is_same_v<detail::matrix_value<A>, detail::matrix_value<B>>,
                "both matrices must have the same value type");
  detail::require_whole_matrix(a);
  detail::require_whole_matrix(b);
  const auto exec = detail::executor_for(detail::environment_without_schedule(env), a, b);
  using offset = detail::offset_of<A>;
  return detail::owned_by(
      exec, evenly::add<offset>(exec, detail::matrix_view(a), detail::matrix_view(b), alpha, beta));
}
/// A's entries by columns, as rows.
template <csr_like A, environment_argument Env = environment<>> auto transpose(const A& a, Env&& env = {}) {
  detail::require_whole_matrix(a);
  const auto exec = detail::executor_for(detail::environment_without_schedule(env), a);
  return detail::owned_by(exec, evenly::transpose(exec, detail::matrix_view(a)));
}

/// Throws invalid_argument unless offsets are in order and every column of an entry is in [0, cols); names the first
/// fault. O(entries). Synchronises.
template <csr_like A, environment_argument Env = environment<>>
void check_matrix(const A& a, Env&& env = {}) {
  detail::require_whole_matrix(a);
  const auto exec = detail::executor_for(detail::environment_without_schedule(env), a);
  const auto view = detail::matrix_view(a);
  const auto all = detail::inspect(exec, rows_of(view));
  const auto seen = detail::first_fault(
      exec, detail::check_columns{view.columns + all.first_atom, all.atoms, view.cols}, all.atoms);
  require(seen.at == detail::no_fault, [&] {
    return detail::concat("entry ", seen.at + all.first_atom, " is in column ", seen.column,
                          " of a matrix of ", view.cols, " columns: they are counted from 0");
  });
}

template <sparse_like A, detail::contiguous_values X>
requires(!csr_like<X> && !dense_like<X>)
auto operator*(const A& a, const X& x) {
  return evenly::spmv(a, x);
}
template <csr_like A, dense_like B> auto operator*(const A& a, const B& b) { return evenly::spmm(a, b); }
template <csr_like A, csr_like B> auto operator*(const A& a, const B& b) { return evenly::spgemm(a, b); }
template <csr_like A, csr_like B> auto operator+(const A& a, const B& b) { return evenly::add(a, b); }

/// The rows of a matrix as tiles: what for_each_range and make_plan distribute. The matrix outlives them.
template <csr_like A>
requires requires(const A& a) { a.view(); }
auto rows_of(const A& a) {
  return detail::tiles_where(a, rows_of(a.view()));
}

/// A plan of a matrix's rows for products with vectors. The matrix keeps its offsets where they are and outlives it.
template <csr_like A, environment_argument Env = environment<>> auto make_plan(const A& a, Env&& env = {}) {
  detail::require_whole_matrix(a);
  const auto where = detail::environment_of(env);
  const auto exec = detail::executor_for(where, a);
  return evenly::make_plan(exec, detail::schedule_of(where, work_kind::gathered_sums),
                           rows_of(detail::matrix_view(a)));
}

} // namespace evenly
