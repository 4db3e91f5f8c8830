// SPDX-License-Identifier: Apache-2.0
#include "python/bindings.hpp"
#include "python/solvers.hpp"

namespace evenly::python {

namespace {

/// Factors, and the lock under which one thread at a time applies them.
struct locked_factors {
  locked_factors(const csr& a, bool is_ic0) {
    const running others_run;
    factors = make_factors(a.arrays(), is_ic0);
  }
  std::unique_ptr<kept_factors> factors;
  std::mutex busy;
};

krylov_result solve_with(const csr& a, krylov_choice how, locked_factors* factors, const read_array& b,
                         const written_array& x) {
  const auto from = input_of("b", b);
  const auto to = output_of("x", x);
  const running others_run;
  if (factors == nullptr) return solve_iteratively(a.arrays(), how, from, to);
  const std::scoped_lock lock(factors->busy);
  how.factors = factors->factors.get();
  return solve_iteratively(a.arrays(), how, from, to);
}

} // namespace

void bind_solvers(nb::module_& m) {
  m.def(
      "solve_triangular",
      [](const csr& a, bool lower, bool unit_diagonal, bool transpose, const read_array& b,
         const written_array& x) {
        const auto from = dense_view_of<const void>("b", b);
        const auto to = dense_view_of<void>("x", x);
        const running others_run;
        solve_triangular(a.arrays(), {lower, unit_diagonal, transpose}, from, to);
      },
      "a"_a, "lower"_a, "unit_diagonal"_a, "transpose"_a, "b"_a, "x"_a);
  m.def(
      "solve_iteratively",
      [](const csr& a, bool is_cg, const std::string& preconditioner, double tolerance, int max_iterations,
         const read_array& b, const written_array& x, locked_factors* factors) {
        const krylov_result found =
            solve_with(a, {is_cg ? krylov::cg : krylov::bicgstab, preconditioner, tolerance, max_iterations},
                       factors, b, x);
        return nb::make_tuple(found.iterations, found.residual, found.converged, found.reason,
                              found.residuals);
      },
      "a"_a, "is_cg"_a, "preconditioner"_a, "tolerance"_a, "max_iterations"_a, "b"_a, "x"_a,
      "factors"_a.none());
  nb::class_<locked_factors>(m, "factors")
      .def(nb::init<const csr&, bool>(), "a"_a, "is_ic0"_a)
      .def(
          "apply",
          [](locked_factors& of, const read_array& b, const written_array& x) {
            const auto from = input_of("b", b);
            const auto to = output_of("x", x);
            const running others_run;
            const std::scoped_lock lock(of.busy);
            of.factors->apply(from, to);
          },
          "b"_a, "x"_a);
}

} // namespace evenly::python
