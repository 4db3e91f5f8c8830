// SPDX-License-Identifier: Apache-2.0
#include "python/solvers.hpp"

#include <complex>
#include <cstdint>
#include <utility>

#include "evenly/sparse/incomplete_factors.hpp"
#include "evenly/sparse/solve_bicgstab.hpp"
#include "evenly/sparse/solve_cg.hpp"
#include "evenly/sparse/solve_triangular.hpp"
#include "python/matrix_views.hpp"

namespace evenly::python {

namespace {

template <class Value> class factors_on_cpu final : public kept_factors {
 public:
  factors_on_cpu(const matrix_arrays& a, factor_kind kind)
      : factors_(executor(), wide_matrix(a).view<Value>(), kind) {}
  void apply(const input& b, const output& x) override { factors_.apply(b.as<Value>(), x.as<Value>()); }
  const incomplete_factor<cpu, Value, std::int64_t>& get() const { return factors_; }

 private:
  incomplete_factor<cpu, Value, std::int64_t> factors_;
};

preconditioner_kind kind_of(const std::string& name) {
  if (name == "none") return preconditioner_kind::none;
  if (name == "jacobi") return preconditioner_kind::jacobi;
  if (name == "ic0") return preconditioner_kind::ic0;
  require(name == "ilu0", [&] { return "M = '" + name + "': choose one of jacobi, ic0, ilu0"; });
  return preconditioner_kind::ilu0;
}

} // namespace

void solve_triangular(const matrix_arrays& a, const triangle_choice& of, const input& b, const output& x) {
  const wide_matrix matrix(a);
  with_element<float, double, std::complex<float>, std::complex<double>>(
      "A", a.values.type, [&]<class Value>(Value) {
        evenly::solve_triangular(
            executor(), matrix.view<Value>(), dense_of<const Value>(b), dense_of<Value>(x),
            {.lower = of.lower, .unit_diagonal = of.unit_diagonal, .transpose = of.transpose});
      });
}

krylov_result solve_iteratively(const matrix_arrays& a, const krylov_choice& how, const input& b,
                                const output& x) {
  const wide_matrix matrix(a);
  krylov_result result{};
  const iterative_options options{.tolerance = how.tolerance,
                                  .max_iterations = how.max_iterations,
                                  .preconditioner = kind_of(how.preconditioner)};
  with_element<float, double>("A", a.values.type, [&]<class Value>(Value) {
    const auto run = [&](auto&& solver) {
      const solve_report report = solver.solve(b.as<Value>(), x.as<Value>());
      result = {report.iterations, report.residual, report.converged(),
                report.converged() ? "" : to_string(report.end), solver.residuals()};
    };
    const auto with_factors = [&](const auto&... factors) {
      const auto exec = executor();
      if (how.method == krylov::cg)
        run(cg_solver<cpu, Value, std::int64_t>(exec, matrix.view<Value>(), factors..., options));
      else
        run(bicgstab_solver<cpu, Value, std::int64_t>(exec, matrix.view<Value>(), factors..., options));
    };
    if (how.factors == nullptr) return with_factors();
    const auto* const ready = dynamic_cast<const factors_on_cpu<Value>*>(how.factors);
    require(ready != nullptr, [] { return std::string("M has another type of numbers than A and b"); });
    with_factors(ready->get());
  });
  return result;
}

std::unique_ptr<kept_factors> make_factors(const matrix_arrays& a, bool is_ic0) {
  std::unique_ptr<kept_factors> made;
  with_element<float, double>("A", a.values.type, [&]<class Value>(Value) {
    made = std::make_unique<factors_on_cpu<Value>>(a, is_ic0 ? factor_kind::ic0 : factor_kind::ilu0);
  });
  return made;
}

} // namespace evenly::python
