// SPDX-License-Identifier: Apache-2.0
// The options of iterative solvers, and what they have done: on one device (solve_cg.hpp, solve_bicgstab.hpp) and on
// ranks (distributed/solvers.hpp).
#pragma once

#include "evenly/core/digits.hpp"
#include "evenly/core/errors.hpp"

namespace evenly {

/// The approximate inverse that a solver applies in each iteration. jacobi: the inverse of the diagonal.
enum class preconditioner_kind { none, jacobi, ic0, ilu0 };

struct iterative_options {
  double tolerance =
      1e-8; ///< the solver ends when |b - A x| <= tolerance |b|, in the Euclidean norm; at least 0
  int max_iterations = 1000; ///< at least 0
  preconditioner_kind preconditioner = preconditioner_kind::none;
};

/// Why an iterative solver has ended.
enum class solve_end {
  running,               ///< it has not: more iterations are possible
  converged,             ///< the residual is within the tolerance
  max_iterations,        ///< it is not, after as many iterations
  not_positive_definite, ///< cg: p' A p <= 0 or r' M^-1 r <= 0 for a direction p or a residual r
  breakdown,             ///< bicgstab: a division by 0
  not_finite,            ///< a value is infinite or NaN
};

inline const char* to_string(solve_end end) {
  switch (end) {
  case solve_end::running:
    return "running";
  case solve_end::converged:
    return "converged";
  case solve_end::max_iterations:
    return "the maximum number of iterations was reached";
  case solve_end::not_positive_definite:
    return "the matrix or the preconditioner is not positive definite";
  case solve_end::breakdown:
    return "breakdown: a division by 0";
  case solve_end::not_finite:
    return "a value is infinite or NaN";
  }
  return "";
}

/// What an iterative solver has done.
struct solve_report {
  int iterations = 0;
  double residual = 0; ///< |r| / |b| of the residual r that the iterations update; 0 if b is 0
  solve_end end = solve_end::running;

  bool converged() const { return end == solve_end::converged; }
};

} // namespace evenly

namespace evenly::detail {

inline void check_iterative_options(const iterative_options& options) {
  require(options.tolerance >= 0 && options.tolerance < 1, [&] {
    return concat("tolerance = ", digits_of(options.tolerance), ": must be at least 0 and less than 1");
  });
  require(options.max_iterations >= 0,
          [&] { return concat("max_iterations = ", options.max_iterations, ": must not be negative"); });
}

} // namespace evenly::detail
