// SPDX-License-Identifier: Apache-2.0
// Products and sums of matrices in one line: operators, and functions that take their sizes from their arguments.
//
//   auto y = a * x;                    // sparse matrix times vector (multiply.hpp)
//   auto c = a * b;                    // times a dense matrix (dense result), or times a sparse one (sparse result)
//   auto s = a + b;                    // of sparse matrices
//   auto t = evenly::transpose(a);
//   evenly::spmm(a, b, c);             // C = A B in existing memory
//
// `a` is a csr_matrix or its view. The optional last argument is the environment (execution/environment.hpp); by
// default operations run where the matrix is, under `automatic`.
//
// - Forms that return a result allocate and synchronise.
// - Every run under the same schedule and executor returns the same bits.
// - Throws invalid_argument for sizes that do not match and arrays that overlap.
// - Owners are checked, views are trusted (matrix_like.hpp). check_matrix checks both.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/default_plan.hpp"
#include "evenly/sparse/add.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/dense_view.hpp"
#include "evenly/sparse/matrix.hpp"
#include "evenly/sparse/matrix_like.hpp"
#include "evenly/sparse/multiply.hpp"
#include "evenly/sparse/spgemm.hpp"
#include "evenly/sparse/spmm.hpp"
#include "evenly/sparse/transpose.hpp"

namespace evenly {

namespace detail {

/// The view of a matrix that is written.
template <class A> auto written_view(A& a) {
  if constexpr (requires { a.view(); })
    return a.view();
  else
    return a;
}
/// The element type of a dense matrix, const if it cannot be written.
template <class A>
using dense_value =
    std::remove_pointer_t<decltype(written_view(std::declval<std::remove_reference_t<A>&>()).data)>;

/// Returns the owner of the buffers that make(exec, temporaries) returns. On the host the owner has std::vectors, which
/// copy the buffers; so the buffers too are taken from `temporaries`.
template <class Env, class Executor, class Make>
auto owned_result(const Env& env, const Executor& exec, const Make& make) {
  return with_temporaries(environment_of(env), exec, [&](const Executor& temporaries) {
    const Executor& of_result = std::is_same_v<Executor, cpu> ? temporaries : exec;
    return owned_by(of_result, make(of_result, &temporaries));
  });
}

template <class A>
using offset_of = std::remove_cvref_t<decltype(*matrix_view(std::declval<const A&>()).offsets)>;

} // namespace detail

/// C = alpha A B + beta C with dense B and C of float or double; with beta = 0, C is not read.
///
/// - b: a.cols rows; c: a.rows rows; as many columns as b. C overlaps neither B nor the matrix.
/// - Complexity: O(rows + entries) per column.
/// - With a plan it is asynchronous on cuda. Otherwise it makes a plan, and synchronises meanwhile.
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
  if constexpr (!detail::has_plan<decltype(where)>) detail::require_indices(exec, a);
  detail::with_schedule(where, work_kind::wide_sums, [&](auto&& how) {
    evenly::spmm(exec, how, detail::matrix_view(a), detail::matrix_view(b), detail::written_view(c), alpha,
                 beta);
  });
}
/// The same with alpha = 1 and beta = 0: C = A B.
template <csr_like A, dense_like B, dense_like C, environment_argument Env = environment<>>
void spmm(const A& a, const B& b, C&& c, Env&& env = {}) {
  evenly::spmm(a, b, c, detail::matrix_value<A>{1}, detail::matrix_value<A>{0}, env);
}
/// Returns A B for a dense B.
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

/// Returns A B for a sparse B.
///
/// - Columns ascend in each row; offsets have the type of A's.
/// - Complexity: O(products + entries of the result) on cpu; spgemm.hpp has the cost on a GPU.
/// - With a workspace in `env`, spgemm, add and transpose allocate only the result once the workspace has grown.
/// - Throws invalid_argument if the offset type cannot count the entries.
template <csr_like A, csr_like B, environment_argument Env = environment<>>
auto spgemm(const A& a, const B& b, Env&& env = {}) {
  static_assert(std::is_same_v<detail::matrix_value<A>, detail::matrix_value<B>>,
                "both matrices must have the same value type");
  detail::require_whole_matrix(a);
  detail::require_whole_matrix(b);
  using offset = detail::offset_of<A>;
  return detail::owned_result(env, detail::executor_for(detail::environment_without_schedule(env), a, b),
                              [&](const auto& exec, const auto* temporaries) {
                                detail::require_indices(*temporaries, a);
                                detail::require_indices(*temporaries, b);
                                return evenly::spgemm<offset>(exec, detail::matrix_view(a),
                                                              detail::matrix_view(b), temporaries);
                              });
}
/// Returns alpha A + beta B of sparse matrices of the same sizes. Complexity: O(entries of A and B) on cpu; add.hpp has
/// the cost on a GPU. Throws as spgemm does.
template <csr_like A, csr_like B, environment_argument Env = environment<>>
auto add(const A& a, const B& b, std::type_identity_t<detail::matrix_value<A>> alpha = 1,
         std::type_identity_t<detail::matrix_value<A>> beta = 1, Env&& env = {}) {
  static_assert(std::is_same_v<detail::matrix_value<A>, detail::matrix_value<B>>,
                "both matrices must have the same value type");
  detail::require_whole_matrix(a);
  detail::require_whole_matrix(b);
  using offset = detail::offset_of<A>;
  return detail::owned_result(env, detail::executor_for(detail::environment_without_schedule(env), a, b),
                              [&](const auto& exec, const auto* temporaries) {
                                detail::require_indices(*temporaries, a);
                                detail::require_indices(*temporaries, b);
                                return evenly::add<offset>(exec, detail::matrix_view(a),
                                                           detail::matrix_view(b), alpha, beta, temporaries);
                              });
}
/// Returns the transpose of A in compressed rows. Complexity: a stable sort of the entries by column (transpose.hpp).
template <csr_like A, environment_argument Env = environment<>> auto transpose(const A& a, Env&& env = {}) {
  detail::require_whole_matrix(a);
  return detail::owned_result(env, detail::executor_for(detail::environment_without_schedule(env), a),
                              [&](const auto& exec, const auto* temporaries) {
                                detail::require_indices(*temporaries, a);
                                return evenly::transpose(exec, detail::matrix_view(a), temporaries);
                              });
}

/// Checks a matrix in any format, also a view. Throws invalid_argument if offsets decrease or end beyond the entries of
/// an owner, and if an index is outside the matrix; names the first fault. O(entries). Synchronises.
template <sparse_like A, environment_argument Env = environment<>>
void check_matrix(const A& a, Env&& env = {}) {
  detail::require_whole_matrix(a);
  const auto exec = detail::executor_for(detail::environment_without_schedule(env), a);
  const auto& view = detail::matrix_view(a);
  if constexpr (detail::view_without_rows<detail::matrix_view_of<A>>)
    detail::inspect(exec, rows_of(transpose_of(view)));
  else if constexpr (tile_set<decltype(detail::tiles_of_view(view))>)
    detail::inspect(exec, detail::tiles_of_view(view));
  else
    evenly::make_plan(exec, schedule_for_sums{}, detail::tiles_of_view(view)); // checks the sizes of tiles
  detail::check_indices(exec, a);
}

template <csr_like A, dense_like B> auto operator*(const A& a, const B& b) { return evenly::spmm(a, b); }
template <csr_like A, csr_like B> auto operator*(const A& a, const B& b) { return evenly::spgemm(a, b); }
template <csr_like A, csr_like B> auto operator+(const A& a, const B& b) { return evenly::add(a, b); }

} // namespace evenly
