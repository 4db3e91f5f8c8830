// SPDX-License-Identifier: Apache-2.0
// The implementation of solver_place.hpp for each executor.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/solve_bicgstab.hpp"
#include "evenly/sparse/solve_cg.hpp"
#include "evenly/sparse/solve_triangular.hpp"
#include "measure/executor_timer.hpp"
#include "sparse/solver_place.hpp"

namespace evenly::sparse {

/// A system in the memory of an executor, and its bench.
template <class Executor, class Value> struct placed_system {
  placed_system(const Executor& on, const linear_system<Value>& of, const bench_options& options)
      : exec(on), a(to_executor(exec, of.a)), b(to_executor(exec, of.b)),
        x(make_buffer<Value>(exec, of.b.size())), runs{measure::make_timer(exec, options),
                                                       std::make_shared<measure::unchecked_output>([this] {
                                                         exec.fill_zero(x.data(), x.size() * sizeof(Value));
                                                       }),
                                                       {}} {}

  Executor exec;
  csr_buffers<Value, int> a;
  buffer<Value> b, x;
  bench runs;
};

template <class Executor, class Value> class solver_on final : public placed_solver<Value> {
 public:
  solver_on(const Executor& exec, const linear_system<Value>& of, const solver_choice& choice,
            const bench_options& options)
      : at_(exec, of, options), choice_(choice) {}

  bench& on() override { return at_.runs; }
  void prepare() override {
    if (choice_.method == krylov_method::cg)
      cg_.emplace(at_.exec, at_.a.view(), choice_.options);
    else
      bicgstab_.emplace(at_.exec, at_.a.view(), choice_.options);
  }
  void start() override {
    at_.exec.fill_zero(at_.x.data(), at_.x.size() * sizeof(Value));
    with_solver([&](auto& solver) { solver.start(at_.b.span(), at_.x.span()); });
  }
  solve_report advance(int iterations) override {
    solve_report report;
    with_solver([&](auto& solver) { report = solver.advance(iterations); });
    return report;
  }
  std::vector<double> residuals() override {
    std::vector<double> found;
    with_solver([&](auto& solver) { found = solver.residuals(); });
    return found;
  }
  std::vector<Value> solution() override { return to_host(at_.exec, at_.x); }

 private:
  template <class Do> void with_solver(const Do& call) {
    if (cg_)
      call(*cg_);
    else
      call(*bicgstab_);
  }

  placed_system<Executor, Value> at_;
  solver_choice choice_;
  std::optional<cg_solver<Executor, Value>> cg_;
  std::optional<bicgstab_solver<Executor, Value>> bicgstab_;
};

template <class Executor, class Value> class triangle_on final : public placed_triangle<Value> {
 public:
  triangle_on(const Executor& exec, const linear_system<Value>& of, const triangular_options& triangle,
              const bench_options& options)
      : at_(exec, of, options), triangle_(triangle) {}

  bench& on() override { return at_.runs; }
  void solve_once() override {
    solve_triangular(at_.exec, at_.a.view(), at_.b.span(), at_.x.span(), triangle_);
  }
  int plan() override {
    plan_.emplace(at_.exec, at_.a.view(), triangle_);
    return plan_->levels();
  }
  void solve_planned() override { plan_->solve(at_.b.span(), at_.x.span()); }
  std::vector<Value> solution() override { return to_host(at_.exec, at_.x); }

 private:
  placed_system<Executor, Value> at_;
  triangular_options triangle_;
  std::optional<triangular_plan<Executor, Value>> plan_;
};

template <class Executor, class Value>
std::unique_ptr<placed_solver<Value>>
place_solver_on(const linear_system<Value>& of, const solver_choice& choice, const bench_options& options) {
  return std::make_unique<solver_on<Executor, Value>>(measure::make_executor<Executor>(options), of, choice,
                                                      options);
}
template <class Executor, class Value>
std::unique_ptr<placed_triangle<Value>> place_triangle_on(const linear_system<Value>& of,
                                                          const triangular_options& triangle,
                                                          const bench_options& options) {
  return std::make_unique<triangle_on<Executor, Value>>(measure::make_executor<Executor>(options), of,
                                                        triangle, options);
}

} // namespace evenly::sparse
