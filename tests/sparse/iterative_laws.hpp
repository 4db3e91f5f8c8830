// SPDX-License-Identifier: Apache-2.0
// What holds for incomplete factors and iterative solvers on every executor.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "evenly/sparse/incomplete_factors.hpp"
#include "evenly/sparse/solve_bicgstab.hpp"
#include "evenly/sparse/solve_cg.hpp"
#include "sparse/solver_systems.hpp"
#include "support/messages.hpp"

namespace evenly::systems {

/// The factors of a small matrix by definition, with the positions of its entries: dense, in long double.
template <class Value, class Offset>
std::vector<long double> slow_factors(const csr_matrix<Value, Offset>& a, factor_kind kind) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<long double> f(n * n);
  std::vector<bool> has(n * n);
  for (std::size_t r = 0; r < n; ++r)
    for (auto e = static_cast<std::size_t>(a.offsets[r]); e < static_cast<std::size_t>(a.offsets[r + 1]);
         ++e) {
      f[r * n + static_cast<std::size_t>(a.columns[e])] = a.values[e];
      has[r * n + static_cast<std::size_t>(a.columns[e])] = true;
    }
  if (kind == factor_kind::ilu0) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < i; ++k) {
        if (!has[i * n + k]) continue;
        f[i * n + k] /= f[k * n + k];
        for (std::size_t j = k + 1; j < n; ++j)
          if (has[i * n + j]) f[i * n + j] -= f[i * n + k] * f[k * n + j];
      }
    return f;
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      if (!has[i * n + k]) continue;
      long double sum = f[i * n + k];
      for (std::size_t j = 0; j < k; ++j) sum -= f[i * n + j] * f[k * n + j];
      f[i * n + k] = f[k * n + i] = i == k ? std::sqrt(sum) : sum / f[k * n + k];
    }
  return f;
}

/// A symmetric matrix with a large diagonal and columns in order, at random positions; the last row may be dense.
template <class Value, class Offset> csr_matrix<Value, Offset> symmetric(int rows, int others, bool dense) {
  sizable_values<Value> next(21);
  const auto n = static_cast<std::size_t>(rows);
  std::vector<Value> full(n * n);
  const auto set = [&](int r, int c) {
    const Value value = next();
    full[static_cast<std::size_t>(r) * n + static_cast<std::size_t>(c)] = value;
    full[static_cast<std::size_t>(c) * n + static_cast<std::size_t>(r)] = value;
  };
  for (int r = 1; r < rows; ++r)
    for (int k = 0; k < others; ++k) set(r, next.below(r));
  for (int c = 0; dense && c + 1 < rows; ++c) set(rows - 1, c);
  rows_of_entries<Value> entries(n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c)
      if (r == c)
        entries[r].emplace_back(static_cast<int>(c), static_cast<Value>(rows));
      else if (full[r * n + c] != 0)
        entries[r].emplace_back(static_cast<int>(c), full[r * n + c]);
  return square<Value, Offset>(entries);
}

template <class Value, class Offset, class Executor>
std::vector<Value> expect_factors(const Executor& exec, const csr_matrix<Value, Offset>& a,
                                  factor_kind kind) {
  const auto on_exec = to_executor(exec, a);
  incomplete_factor factor(exec, on_exec.view(), kind);
  EXPECT_EQ(factor.kind(), kind);
  const auto of = factor.factors();
  const auto found = to_host(exec, std::span<const Value>(of.values, a.values.size()));
  const auto right = slow_factors(a, kind);
  const auto n = static_cast<std::size_t>(a.rows);
  for (std::size_t r = 0; r < n; ++r)
    for (auto e = static_cast<std::size_t>(a.offsets[r]); e < static_cast<std::size_t>(a.offsets[r + 1]);
         ++e) {
      const long double expected = right[r * n + static_cast<std::size_t>(a.columns[e])];
      EXPECT_NEAR(static_cast<double>(found[e]), static_cast<double>(expected),
                  static_cast<double>(64 * epsilon_of<Value>() * std::abs(expected)) +
                      static_cast<double>(8 * epsilon_of<Value>()))
          << "row " << r << ", column " << a.columns[e];
    }
  // x = (L U)^-1 b: first the lower triangle, then the upper one.
  const auto b = some_values<Value>(n, 22);
  auto x = to_executor(exec, b);
  factor.apply(x.span(), x.span());
  csr_matrix<Value, Offset> both = a;
  both.values = found;
  const bool unit = kind == factor_kind::ilu0;
  std::vector<Value> between(n), expected(n);
  const cpu slow(1);
  solve_triangular(slow, both.view(), b, between, {.lower = true, .unit_diagonal = unit});
  solve_triangular(slow, both.view(), between, expected, {.lower = false});
  const auto applied = to_host(exec, x);
  for (std::size_t r = 0; r < n; ++r)
    EXPECT_NEAR(static_cast<double>(applied[r]), static_cast<double>(expected[r]),
                static_cast<double>(256 * epsilon_of<Value>()) *
                    (1 + std::abs(static_cast<double>(expected[r]))));
  return found;
}
template <class Value, class Offset, class Executor> void expect_all_factors(const Executor& exec) {
  for (const factor_kind kind : {factor_kind::ic0, factor_kind::ilu0}) {
    expect_factors(exec, csr_matrix<Value, Offset>{}, kind);
    expect_factors(exec, square<Value, Offset>({{{0, Value{4}}}}), kind);
    expect_factors(exec, square<Value, Offset>({{{0, Value{4}}}, {{1, Value{9}}}, {{2, Value{1}}}}), kind);
    expect_factors(exec, poisson<Value, Offset>(7), kind);
    expect_factors(exec, symmetric<Value, Offset>(60, 2, false), kind);
    expect_factors(exec, symmetric<Value, Offset>(80, 1, true), kind);
  }
  expect_factors(exec, transport<Value, Offset>(6), factor_kind::ilu0);
}

template <class Executor> void expect_refusals_of_factors(const Executor& exec) {
  const auto refusal = [&](const csr_matrix<double>& a, factor_kind kind) {
    const auto on_exec = to_executor(exec, a);
    return message_of<invalid_argument>([&] { incomplete_factor(exec, on_exec.view(), kind); });
  };
  const auto negative = square<double, int>({{{0, 1.0}}, {{1, 1.0}, {2, 3.0}}, {{1, 3.0}, {2, 1.0}}});
  EXPECT_EQ(refusal(negative, factor_kind::ic0),
            "row 2: the pivot of IC(0) is not positive. Add to the diagonal, or use ILU(0)");
  const auto singular = square<double, int>({{{0, 1.0}, {1, 2.0}}, {{0, 2.0}, {1, 4.0}}});
  EXPECT_EQ(refusal(singular, factor_kind::ilu0),
            "row 1: the pivot of ILU(0) is 0 or NaN. Add to the diagonal, or order the rows otherwise");
  EXPECT_EQ(refusal(square<double, int>({{{1, 1.0}, {0, 1.0}}, {{1, 1.0}}}), factor_kind::ilu0),
            "row 0: its columns must ascend, without duplicates, and be in the matrix");
  EXPECT_EQ(refusal(square<double, int>({{{0, 1.0}}, {{0, 1.0}}}), factor_kind::ilu0),
            "row 1: it has no entry on the diagonal, which an incomplete factor needs");
  EXPECT_EQ(
      refusal(square<double, int>({{{0, 1.0}}, {{0, 0.5}, {1, 1.0}}}), factor_kind::ic0),
      "row 1: an entry has no counterpart on the other side of the diagonal: IC(0) takes both triangles of "
      "a symmetric matrix");
}

enum class method { cg, bicgstab };
template <class Value> struct solution {
  solve_report report;
  std::vector<Value> x;
  std::vector<double> residuals;
};
/// Solves in one call; or in steps of some iterations, with ready factors if there are factors.
template <class Value, class Offset, class Executor>
solution<Value> solution_of(const Executor& exec, method how, const csr_matrix<Value, Offset>& a,
                            const std::vector<Value>& b, const iterative_options& options, int steps = 0,
                            Value from = 0) {
  const auto on_exec = to_executor(exec, a);
  const auto right = to_executor(exec, b);
  auto x = to_executor(exec, std::vector<Value>(b.size(), from));
  solution<Value> found;
  const auto run = [&](auto&& solver) {
    if (steps == 0) {
      found.report = solver.solve(right.span(), x.span());
    } else {
      solver.start(right.span(), x.span());
      do found.report = solver.advance(steps);
      while (found.report.end == solve_end::running);
    }
    found.residuals = solver.residuals();
  };
  const auto with_factors = [&](const auto&... factors) {
    if (how == method::cg)
      run(cg_solver<Executor, Value, Offset>(exec, on_exec.view(), factors..., options));
    else
      run(bicgstab_solver<Executor, Value, Offset>(exec, on_exec.view(), factors..., options));
  };
  const bool is_ic0 = options.preconditioner == preconditioner_kind::ic0;
  if (steps > 0 && (is_ic0 || options.preconditioner == preconditioner_kind::ilu0))
    with_factors(incomplete_factor(exec, on_exec.view(), is_ic0 ? factor_kind::ic0 : factor_kind::ilu0));
  else
    with_factors();
  found.x = to_host(exec, x);
  return found;
}

template <class Value, class Executor>
std::vector<solution<Value>> expect_convergence(const Executor& exec, int side, double tolerance) {
  std::vector<solution<Value>> all;
  for (const method how : {method::cg, method::bicgstab})
    for (const auto kind : {preconditioner_kind::none, preconditioner_kind::jacobi, preconditioner_kind::ic0,
                            preconditioner_kind::ilu0}) {
      if (kind == preconditioner_kind::ic0 && how == method::bicgstab) continue;
      const auto a = how == method::cg ? poisson<Value>(side) : transport<Value>(side);
      const auto b = some_values<Value>(static_cast<std::size_t>(a.rows), 31);
      const iterative_options options{.tolerance = tolerance, .max_iterations = 400, .preconditioner = kind};
      const auto found = solution_of(exec, how, a, b, options);
      const std::string what = "method " + std::to_string(static_cast<int>(how)) + ", preconditioner " +
                               std::to_string(static_cast<int>(kind));
      EXPECT_TRUE(found.report.converged()) << what << ": " << to_string(found.report.end);
      EXPECT_LE(found.report.residual, tolerance) << what;
      EXPECT_LE(relative_residual(a, b, found.x), 4 * tolerance) << what;
      EXPECT_EQ(found.residuals.size(), static_cast<std::size_t>(found.report.iterations) + 1) << what;
      EXPECT_EQ(found.residuals.back(), found.report.residual) << what;
      EXPECT_NEAR(found.residuals.front(), 1, 1e-6) << what;
      const auto stepped = solution_of(exec, how, a, b, options, 3);
      EXPECT_TRUE(same_bits(stepped.x, found.x)) << what;
      EXPECT_EQ(stepped.report.iterations, found.report.iterations) << what;
      all.push_back(found);
    }
  // Factors save iterations.
  EXPECT_LT(all[2].report.iterations, all[0].report.iterations);
  EXPECT_LT(all[3].report.iterations, all[0].report.iterations);
  EXPECT_LT(all[6].report.iterations, all[4].report.iterations);
  return all;
}

/// A diagonal with a dense last row and column has exact incomplete factors. That row has several pieces.
template <class Executor> void expect_exact_factors_of_long_rows(const Executor& exec) {
  const auto a = symmetric<double, int>(detail::entries_of_piece + 40, 0, true);
  const auto on_exec = to_executor(exec, a);
  const auto b = to_executor(exec, some_values<double>(static_cast<std::size_t>(a.rows), 31));
  auto x = make_buffer<double>(exec, b.size());
  exec.fill_zero(x.data(), x.size() * sizeof(double));
  const auto found = solve_cg(exec, on_exec.view(), b.span(), x.span(),
                              {.tolerance = 1e-12, .preconditioner = preconditioner_kind::ic0});
  EXPECT_EQ(found.end, solve_end::converged);
  EXPECT_LE(found.iterations, 2);
}

/// Systems that have no solution, or none that the method finds, end with a reason.
template <class Executor> void expect_ends(const Executor& exec) {
  for (const method how : {method::cg, method::bicgstab}) {
    const auto a = poisson<double>(8);
    const auto n = static_cast<std::size_t>(a.rows);
    const auto b = some_values<double>(n, 32);
    const auto few = solution_of(exec, how, a, b, {.max_iterations = 3});
    EXPECT_EQ(few.report.end, solve_end::max_iterations);
    EXPECT_EQ(few.report.iterations, 3);
    EXPECT_GT(few.report.residual, 1e-8);
    EXPECT_EQ(solution_of(exec, how, a, b, {.max_iterations = 0}).report.end, solve_end::max_iterations);
    const auto none = solution_of(exec, how, a, std::vector<double>(n), {}, 0, 7.0);
    EXPECT_TRUE(none.report.converged());
    EXPECT_EQ(none.report.iterations, 0);
    EXPECT_EQ(none.x, std::vector<double>(n));
    auto nan = b;
    nan[n / 2] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(solution_of(exec, how, a, nan, {}).report.end, solve_end::not_finite);
    const auto empty = solution_of(exec, how, csr_matrix<double>{}, std::vector<double>{}, {});
    EXPECT_TRUE(empty.report.converged());
    const auto one = solution_of(exec, how, square<double, int>({{{0, 4.0}}}), std::vector<double>{2}, {});
    EXPECT_EQ(one.x, std::vector<double>{0.5});
    // No row has entries: A = 0.
    const auto zero = solution_of(exec, how, square<double, int>({{}, {}}), std::vector<double>{1, 1}, {});
    EXPECT_EQ(zero.report.end, how == method::cg ? solve_end::not_positive_definite : solve_end::breakdown);
  }
  const auto indefinite = square<double, int>({{{0, 1.0}}, {{1, -1.0}}, {{2, -2.0}}});
  EXPECT_EQ(solution_of(exec, method::cg, indefinite, {1, 1, 1}, {}).report.end,
            solve_end::not_positive_definite);
  // The sum of all rows is 0, that of b is not.
  const auto singular =
      square<double, int>({{{0, 1.0}, {1, -1.0}}, {{0, -1.0}, {1, 2.0}, {2, -1.0}}, {{1, -1.0}, {2, 1.0}}});
  for (const method how : {method::cg, method::bicgstab}) {
    const auto found = solution_of(exec, how, singular, {1, 1, 2}, {.max_iterations = 50});
    EXPECT_FALSE(found.report.converged()) << to_string(found.report.end);
    EXPECT_LE(found.report.iterations, 50);
  }
  const auto on_exec = to_executor(exec, square<double, int>({{{0, 1.0}}, {{0, 1.0}}}));
  EXPECT_NE(refusal_of([&] {
              cg_solver(exec, on_exec.view(), {.preconditioner = preconditioner_kind::jacobi});
            }).find("row 1 has no diagonal"),
            std::string::npos);
  const auto larger = to_executor(exec, poisson<double>(2));
  const auto factors = ic0(exec, larger.view());
  EXPECT_EQ(refusal_of([&] { cg_solver(exec, on_exec.view(), factors); }),
            "the factors have 4 rows, but the matrix has 2");
}

} // namespace evenly::systems
