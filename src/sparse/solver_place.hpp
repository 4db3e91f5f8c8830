// SPDX-License-Identifier: Apache-2.0
// Solvers of linear systems on an executor. The interface separates commands, which know no executor, from executors,
// which have their own translation units.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "evenly/sparse/csr_matrix.hpp"
#include "evenly/sparse/iterative_solver.hpp"
#include "evenly/sparse/solve_triangular.hpp"
#include "measure/bench.hpp"

namespace evenly::sparse {

using measure::bench, measure::bench_options, measure::executor_kind;

/// A x = b, on the host. Both outlive what is made of them.
template <class Value> struct linear_system {
  const csr_matrix<Value>& a;
  std::span<const Value> b;
};

enum class krylov_method { cg, bicgstab };
struct solver_choice {
  krylov_method method = krylov_method::cg;
  iterative_options options;
};

/// An iterative solver with its system in the memory of an executor.
template <class Value> class placed_solver {
 public:
  virtual ~placed_solver() = default;
  /// Times runs, which check themselves.
  virtual bench& on() = 0;
  /// Makes the solver with its preconditioner. Must be called first.
  virtual void prepare() = 0;
  /// Begins with x = 0; advance() continues while the report says running.
  virtual void start() = 0;
  virtual solve_report advance(int iterations) = 0;
  virtual std::vector<double> residuals() = 0;
  virtual std::vector<Value> solution() = 0;
};

/// A triangular system in the memory of an executor.
template <class Value> class placed_triangle {
 public:
  virtual ~placed_triangle() = default;
  virtual bench& on() = 0;
  virtual void solve_once() = 0;
  /// Makes the plan. Returns its number of levels.
  virtual int plan() = 0;
  /// Needs a plan.
  virtual void solve_planned() = 0;
  virtual std::vector<Value> solution() = 0;
};

/// Throw device_error if the executor is not available.
template <class Value>
std::unique_ptr<placed_solver<Value>> place_solver(executor_kind kind, const linear_system<Value>& of,
                                                   const solver_choice& choice, const bench_options& options);
template <class Value>
std::unique_ptr<placed_triangle<Value>> place_triangle(executor_kind kind, const linear_system<Value>& of,
                                                       const triangular_options& triangle,
                                                       const bench_options& options);

/// The same for a known executor. Instantiated in separate translation units (solver_place_on.hpp).
template <class Executor, class Value>
std::unique_ptr<placed_solver<Value>>
place_solver_on(const linear_system<Value>& of, const solver_choice& choice, const bench_options& options);
template <class Executor, class Value>
std::unique_ptr<placed_triangle<Value>> place_triangle_on(const linear_system<Value>& of,
                                                          const triangular_options& triangle,
                                                          const bench_options& options);

} // namespace evenly::sparse
