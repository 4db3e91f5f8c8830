// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients: x with A x = b, for a symmetric positive definite sparse matrix.
//
//   const auto report = evenly::solve_cg(exec, a.view(), b, x, {.tolerance = 1e-8});
//   evenly::cg_solver solver(exec, a.view(), {.preconditioner = evenly::preconditioner_kind::ic0});
//   const auto report = solver.solve(b, x);                        // many right-hand sides with one preconditioner
//
// Source: Hestenes, Stiefel (Methods of conjugate gradients for solving linear systems, 1952), preconditioned as in
// Saad (Iterative methods for sparse linear systems, 2003, algorithm 9.1). All iterations are in one kernel
// (iterative_solver.hpp). Its blocks meet three times per iteration: after A p with p' A p, after the updates of x and
// r with r' r and r' z, and after the update of p. Sums are added in double, in a fixed order. So a solver gives the
// same bits in every run, and on cpu for every number of threads.
#pragma once

#include <span>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/iterative_solver.hpp"

namespace evenly {

/// The method of cg_solver.
struct conjugate_gradients {
  static constexpr int vectors = 4; ///< r, p, q = A p, and z = M^-1 r of factors

  template <class Worker> EVENLY_FN static void run(Worker& worker) {
    const auto r = worker.vector(0), p = worker.vector(1), q = worker.vector(2), z = worker.vector(3);
    using value = std::remove_cvref_t<decltype(worker.scaled(0, {}))>;
    auto& state = worker.state;
    /// r' z after the factors, and p = z + beta p.
    const auto with_factors = [&] {
      worker.apply_factors(r, z);
      worker.template pass<1>(0, [&](int row, double* sums) {
        const value residual = r[row], other = z[row];
        sums[0] += static_cast<double>(residual) * static_cast<double>(other);
      });
      return worker.template total<1>(0).of[0];
    };
    const auto turn = [&](double beta) {
      worker.template pass<0>(0, [&](int row, double*) {
        value other = 0;
        if (worker.has_factors())
          other = z[row];
        else
          other = worker.scaled(row, r[row]); // again: less traffic than a vector that is written and read
        const value direction = beta == 0 ? value{0} : static_cast<value>(p[row]);
        p[row] = other + static_cast<value>(beta) * direction;
      });
      worker.meet();
    };
    const auto norms = [&](int row, value residual, double* sums) {
      const value scaled = worker.scaled(row, residual);
      r[row] = residual;
      sums[0] += static_cast<double>(residual) * static_cast<double>(residual);
      sums[1] += static_cast<double>(residual) * static_cast<double>(scaled);
    };

    const auto b = worker.b();
    const auto x = worker.x();
    if (worker.begins()) {
      const std::uint32_t sweeps = state.sweeps;
      state = {};
      state.sweeps = sweeps;
      worker.template multiply<3>(0, x, [&](int row, value product, double* sums) {
        const value right = b[row];
        norms(row, right - product, sums);
        sums[2] += static_cast<double>(right) * static_cast<double>(right);
      });
      const auto all = worker.template total<3>(0);
      state.squared_right = all.of[2];
      state.rho = all.of[1];
      if (all.of[2] == 0) return worker.solve_zero();
      if (worker.ends(all.of[0])) return;
      if (worker.has_factors()) state.rho = with_factors();
      turn(0);
    }
    while (worker.goes_on()) {
      worker.template multiply<1>(3, p, [&](int row, value product, double* sums) {
        const value direction = p[row];
        q[row] = product;
        sums[0] += static_cast<double>(direction) * static_cast<double>(product);
      });
      const double curvature = worker.template total<1>(3).of[0];
      if (!(curvature > 0) || !(state.rho > 0)) {
        const bool is_number = curvature == curvature && state.rho == state.rho;
        state.end = is_number ? solve_end::not_positive_definite : solve_end::not_finite;
        return;
      }
      const auto alpha = static_cast<value>(state.rho / curvature);
      worker.template pass<2>(1, [&](int row, double* sums) {
        const value at = x[row], direction = p[row], product = q[row], residual = r[row];
        x[row] = at + alpha * direction;
        norms(row, residual - alpha * product, sums);
      });
      const auto all = worker.template total<2>(1);
      ++state.iteration;
      if (worker.ends(all.of[0])) return;
      const double rho = worker.has_factors() ? with_factors() : all.of[1];
      turn(rho / state.rho);
      state.rho = rho;
    }
  }
};

/// See iterative_solver (iterative_solver.hpp).
template <class Executor, class Value, class Offset = int>
using cg_solver = iterative_solver<conjugate_gradients, Executor, Value, Offset>;

/// Solves A x = b, beginning at the x that is given. a: symmetric and positive definite, which is not checked in
/// advance: the report says if a direction shows that it is not. Parameters, cost and errors: those of iterative_solver
/// and its solve. Synchronises.
template <class Executor, class Value, class Offset>
solve_report solve_cg(const Executor& exec, const csr_view<Value, Offset>& a,
                      std::type_identity_t<std::span<const Value>> b,
                      std::type_identity_t<std::span<Value>> x, const iterative_options& options = {}) {
  return cg_solver<Executor, Value, Offset>(exec, a, options).solve(b, x);
}

} // namespace evenly
