// SPDX-License-Identifier: Apache-2.0
// A sparse matrix times a vector in one line.
//
//   auto y = a * x;                    // x: a std::vector, an array, a std::span, ...
//   evenly::spmv(a, x, y);             // y = A x in existing memory
//   evenly::spmv(a, x, y, 2, 1);       // y = 2 A x + y
//
// `a` is a matrix in any format of this folder, or a view of one. The optional last argument is the environment
// (execution/environment.hpp). By default products run where the matrix is, under `automatic`. A product makes a plan
// at each call; a plan of the matrix, made once, saves that:
//
//   auto plan = evenly::make_plan(a);
//   for (int i = 0; i < 100; ++i) evenly::spmv(a, x, y, plan);
//
// - Complexity: O(rows + entries), for making a plan too.
// - Forms that return a result allocate and synchronise.
// - Every run under the same schedule and executor returns the same bits.
// - Throws invalid_argument for sizes that do not match and arrays that overlap.
// - Owners are checked, views are trusted (matrix_like.hpp).
#pragma once

#include <span>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/execution/vector.hpp"
#include "evenly/schedules/default_plan.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/detail/sums_of_rows.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/spmv.hpp"

namespace evenly {

namespace detail {

/// Calls body(how) with the plan or the schedule of `env`, or with `automatic`.
template <class E, class S, class Body>
decltype(auto) with_schedule(const environment<E, S>& env, work_kind work, const Body& body) {
  if constexpr (is_plan_reference<S>)
    return body(*env.schedule().of);
  else
    return body(schedule_of(env, work));
}

/// Whether an environment has a plan.
template <class Env> inline constexpr bool has_plan = requires(const Env& env) { env.schedule().of->exec(); };

/// The rows of a view as tiles.
template <class V> auto tiles_of_view(const V& view) {
  if constexpr (is_csr_view<V>)
    return evenly::rows_of(view);
  else
    return view.tiles();
}

} // namespace detail

/// y = alpha A x + beta y; with beta = 0, y is not read.
///
/// - x: a.cols elements; y: a.rows elements, of the matrix's value type. y overlaps neither x nor the matrix.
/// - With a plan it does not allocate and is asynchronous on cuda. Otherwise it makes a plan, and synchronises
///   meanwhile.
/// - A matrix in compressed columns is converted at each call; rows_of_csc converts it once.
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
  const auto& view = detail::matrix_view(a);
  if constexpr (!detail::has_plan<decltype(where)>) detail::require_indices(exec, a);
  if constexpr (detail::view_without_rows<detail::matrix_view_of<A>>) {
    const auto rows = in_rows(exec, view);
    evenly::spmv(rows.view(), x, y, alpha, beta, where.on(exec));
    exec.synchronize(); // before the rows are freed
  } else {
    detail::with_schedule(where, work_kind::gathered_sums, [&](auto&& how) {
      evenly::spmv(exec, how, view, std::span<const T>(std::data(x), std::size(x)),
                   std::span<T>(std::data(y), std::size(y)), alpha, beta);
    });
  }
}
/// The same with alpha = 1 and beta = 0: y = A x.
template <sparse_like A, detail::contiguous_values X, detail::contiguous_values Y,
          environment_argument Env = environment<>>
void spmv(const A& a, const X& x, Y&& y, Env&& env = {}) {
  evenly::spmv(a, x, y, detail::matrix_value<A>{1}, detail::matrix_value<A>{0}, env);
}
/// Returns A x.
template <sparse_like A, detail::contiguous_values X, environment_argument Env = environment<>>
auto spmv(const A& a, const X& x, Env&& env = {}) {
  detail::require_whole_matrix(a);
  const auto exec = detail::executor_for(detail::environment_of(env), a, x);
  auto y = detail::make_values<detail::matrix_value<A>>(exec, detail::matrix_view(a).rows);
  evenly::spmv(a, x, y, env);
  exec.synchronize();
  return y;
}

template <sparse_like A, detail::contiguous_values X>
requires(!csr_like<X> && !dense_like<X>)
auto operator*(const A& a, const X& x) {
  return evenly::spmv(a, x);
}

/// The rows of a matrix as tiles, for for_each_range and make_plan. The matrix outlives them.
template <csr_like A>
requires requires(const A& a) { a.view(); }
auto rows_of(const A& a) {
  return detail::tiles_where(a, rows_of(a.view()));
}

/// A plan of a matrix for products with vectors. The matrix outlives the plan, and its arrays stay in place. Compressed
/// columns have no such plan; rows_of_csc finds their rows once. Synchronises. Throws as check_matrix does if `a` is an
/// owner, otherwise as make_plan of schedules/plan.hpp.
template <sparse_like A, environment_argument Env = environment<>>
requires(!detail::view_without_rows<detail::matrix_view_of<A>>)
auto make_plan(const A& a, Env&& env = {}) {
  detail::require_whole_matrix(a);
  const auto where = detail::environment_of(env);
  const auto exec = detail::executor_for(where, a);
  detail::require_indices(exec, a);
  return evenly::make_plan(exec, detail::schedule_of(where, work_kind::gathered_sums),
                           detail::tiles_of_view(detail::matrix_view(a)));
}

} // namespace evenly
