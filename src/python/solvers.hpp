// SPDX-License-Identifier: Apache-2.0
// Solvers of linear systems on cpu, for matrices whose arrays Python owns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "python/products.hpp"

namespace evenly::python {

struct triangle_choice {
  bool lower;
  bool unit_diagonal;
  bool transpose;
};
/// T x = b with dense b and x, the same or disjoint. float32, float64, complex64, complex128.
void solve_triangular(const matrix_arrays& a, const triangle_choice& of, const input& b, const output& x);

enum class krylov { cg, bicgstab };
class kept_factors;
struct krylov_choice {
  krylov method;
  std::string preconditioner; ///< none, jacobi, ic0 or ilu0
  double tolerance;
  int max_iterations;
  const kept_factors* factors = nullptr; ///< ready ones, of the type of A, in place of `preconditioner`
};
struct krylov_result {
  int iterations;
  double residual;
  bool converged;
  std::string reason; ///< empty if it converged
  std::vector<double> residuals;
};
/// A x = b, from the given x on. float32, float64.
krylov_result solve_iteratively(const matrix_arrays& a, const krylov_choice& how, const input& b,
                                const output& x);

/// The incomplete factors of a matrix. One thread uses them at a time.
class kept_factors {
 public:
  virtual ~kept_factors() = default;
  virtual void apply(const input& b, const output& x) = 0;
};
/// ic0, or ilu0. float32, float64.
std::unique_ptr<kept_factors> make_factors(const matrix_arrays& a, bool is_ic0);

} // namespace evenly::python
