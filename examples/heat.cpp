// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients: one implicit step of heat conduction on a plate, (I + dt L) x = b.
//
// The solver is made once, with an incomplete Cholesky factor, and used for several steps. The same call runs on the
// simulated GPU.
#include <cmath>
#include <cstdio>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/solve_cg.hpp"
#include "evenly/sparse/solve_triangular.hpp"

/// I + dt L of a grid of side x side points; L has the differences to up to four neighbours.
evenly::csr_matrix<double> heat_step(int side, double dt) {
  evenly::csr_matrix<double> a;
  a.rows = a.cols = side * side;
  for (int point = 0; point < a.rows; ++point) {
    double sum = 0;
    std::size_t diagonal = 0;
    const auto add = [&](int other, bool exists) {
      if (other == point) diagonal = a.columns.size();
      if (!exists) return;
      a.columns.push_back(other);
      a.values.push_back(-dt);
      sum += dt;
    };
    add(point - side, point >= side);
    add(point - 1, point % side > 0);
    add(point, true);
    add(point + 1, point % side < side - 1);
    add(point + side, point + side < a.rows);
    a.values[diagonal] = 1 + sum - dt; // the diagonal itself was counted
    a.offsets.push_back(static_cast<int>(a.columns.size()));
  }
  return a;
}

template <class Executor> bool heat_is_kept(const Executor& exec, int side, int steps) {
  const auto a = heat_step(side, 0.5);
  std::vector<double> now(static_cast<std::size_t>(a.rows)), next(now.size());
  now[now.size() / 2] = 1000;
  evenly::cg_solver solver(exec, a.view(),
                           {.tolerance = 1e-10, .preconditioner = evenly::preconditioner_kind::ic0});
  for (int step = 0; step < steps; ++step) {
    const evenly::solve_report report = solver.solve(now, next);
    if (!report.converged()) {
      std::printf("step %d: %s\n", step, to_string(report.end));
      return false;
    }
    std::printf("step %d: %d iterations, residual %.1e\n", step, report.iterations, report.residual);
    now = next;
  }
  double heat = 0; // no heat leaves the plate
  for (const double each : now) heat += each;
  return std::abs(heat - 1000) < 1e-5;
}

int main() {
  const bool right = heat_is_kept(evenly::cpu(), 100, 3) && heat_is_kept(evenly::simt(), 12, 1);

  // A triangle of the same matrix: the last step of many factorizations.
  const auto a = heat_step(20, 0.5);
  std::vector<double> b(400, 1), x(400), again(400);
  evenly::solve_triangular(evenly::cpu(), a.view(), b, x);
  evenly::triangular_plan plan(evenly::cpu(), a.view());
  plan.solve(b, again);
  std::printf("%d levels\n", plan.levels());
  return right && x == again ? 0 : 1;
}
