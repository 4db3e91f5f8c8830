// SPDX-License-Identifier: Apache-2.0
// BiCGStab: x with A x = b, for a sparse square matrix that need not be symmetric.
//
//   const auto report = evenly::solve_bicgstab(exec, a.view(), b, x, {.tolerance = 1e-8});
//   evenly::bicgstab_solver solver(exec, a.view(), {.preconditioner = evenly::preconditioner_kind::ilu0});
//
// Source: van der Vorst (Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG, SIAM J. Sci. Stat. Comput., 1992),
// preconditioned from the right, so that r is the residual of the system itself. All iterations are in one kernel,
// whose blocks meet five times per iteration. For sums and bits see solve_cg.hpp.
#pragma once

#include <span>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/iterative_solver.hpp"

namespace evenly {

/// The method of bicgstab_solver.
struct stabilized_biconjugate_gradients {
  static constexpr int vectors = 7;

  template <class Worker> EVENLY_FN static void run(Worker& worker) {
    const auto r = worker.vector(0), shadow = worker.vector(1), p = worker.vector(2), v = worker.vector(3);
    const auto y = worker.vector(4), z = worker.vector(5),
               t = worker.vector(6); // y = M^-1 p, z = M^-1 s, t = A z
    using value = std::remove_cvref_t<decltype(worker.scaled(0, {}))>;
    auto& state = worker.state;
    const auto product = [](value one, value other) {
      return static_cast<double>(one) * static_cast<double>(other);
    };
    /// After the rows of `in` and, without factors, `out` are written.
    const auto precondition = [&](const auto& in, const auto& out) {
      if (worker.has_factors())
        worker.apply_factors(in, out);
      else
        worker.meet();
    };

    const auto b = worker.b();
    const auto x = worker.x();
    if (worker.begins()) {
      const std::uint32_t sweeps = state.sweeps;
      state = {};
      state.sweeps = sweeps;
      worker.template multiply<2>(0, x, [&](int row, value of_x, double* sums) {
        const value right = b[row], residual = right - of_x;
        r[row] = residual;
        shadow[row] = residual;
        p[row] = residual;
        y[row] = worker.scaled(row, residual);
        sums[0] += product(residual, residual);
        sums[1] += product(right, right);
      });
      const auto all = worker.template total<2>(0);
      state.squared_right = all.of[1];
      state.rho = all.of[0];
      if (all.of[1] == 0) return worker.solve_zero();
      if (worker.ends(all.of[0])) return;
      precondition(p, y);
    }
    while (worker.goes_on()) {
      worker.template multiply<1>(2, y, [&](int row, value of_y, double* sums) {
        const value other = shadow[row];
        v[row] = of_y;
        sums[0] += product(other, of_y);
      });
      const double along = worker.template total<1>(2).of[0];
      if (breaks_down(state, along)) return;
      const auto alpha = static_cast<value>(state.rho / along);
      worker.template pass<0>(0, [&](int row, double*) { // r is now s
        const value residual = r[row], of_y = v[row];
        const value half = residual - alpha * of_y;
        r[row] = half;
        z[row] = worker.scaled(row, half);
      });
      precondition(r, z);
      worker.template multiply<2>(3, z, [&](int row, value of_z, double* sums) {
        const value half = r[row];
        t[row] = of_z;
        sums[0] += product(of_z, half);
        sums[1] += product(of_z, of_z);
      });
      const auto step = worker.template total<2>(3);
      const double omega = step.of[1] == 0 ? 0 : step.of[0] / step.of[1]; // s = 0 gives t = 0
      const auto length = static_cast<value>(omega);
      worker.template pass<2>(0, [&](int row, double* sums) {
        const value at = x[row], first = y[row], second = z[row], half = r[row], of_z = t[row];
        const value other = shadow[row], residual = half - length * of_z;
        x[row] = at + alpha * first + length * second;
        r[row] = residual;
        sums[0] += product(residual, residual);
        sums[1] += product(other, residual);
      });
      const auto all = worker.template total<2>(0);
      ++state.iteration;
      if (worker.ends(all.of[0]) || breaks_down(state, omega) || breaks_down(state, all.of[1])) return;
      const auto beta = static_cast<value>(all.of[1] / state.rho * (static_cast<double>(alpha) / omega));
      state.rho = all.of[1];
      worker.template pass<0>(0, [&](int row, double*) {
        const value residual = r[row], before = p[row], of_y = v[row];
        const value direction = residual + beta * (before - length * of_y);
        p[row] = direction;
        y[row] = worker.scaled(row, direction);
      });
      precondition(p, y);
    }
  }

 private:
  /// Whether a divisor is 0 or not a number, which ends the solver.
  template <class State> EVENLY_FN static bool breaks_down(State& state, double divisor) {
    if (divisor < 0 || divisor > 0) return false;
    state.end = divisor == 0 ? solve_end::breakdown : solve_end::not_finite;
    return true;
  }
};

/// See iterative_solver (iterative_solver.hpp).
template <class Executor, class Value, class Offset = int>
using bicgstab_solver = iterative_solver<stabilized_biconjugate_gradients, Executor, Value, Offset>;

/// Solves A x = b, beginning at the x that is given. Parameters, cost and errors: those of iterative_solver and its
/// solve. Synchronises.
template <class Executor, class Value, class Offset>
solve_report solve_bicgstab(const Executor& exec, const csr_view<Value, Offset>& a,
                            std::type_identity_t<std::span<const Value>> b,
                            std::type_identity_t<std::span<Value>> x, const iterative_options& options = {}) {
  return bicgstab_solver<Executor, Value, Offset>(exec, a, options).solve(b, x);
}

} // namespace evenly
