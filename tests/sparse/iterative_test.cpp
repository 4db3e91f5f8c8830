// SPDX-License-Identifier: Apache-2.0
// Incomplete factors and iterative solvers on cores.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "sparse/iterative_laws.hpp"
#include "support/messages.hpp"

namespace evenly::systems {
namespace {

TEST(IncompleteFactors, AreThoseOfASlowReference) {
  expect_all_factors<double, int>(cpu(1));
  expect_all_factors<double, int>(cpu(3));
  expect_all_factors<float, std::int64_t>(cpu(2));
}

TEST(IncompleteFactors, HaveTheBitsOfOneThread) {
  const auto a = poisson<double>(120); // with levels that cores share only in part: see also the next
  const auto wide = wide_levels<double, int>(20'000);
  for (const auto kind : {factor_kind::ilu0, factor_kind::ic0}) {
    const auto values = [&](const cpu& exec, const csr_matrix<double>& of) {
      const incomplete_factor factor(exec, of.view(), kind);
      return std::vector<double>(factor.factors().values, factor.factors().values + of.values.size());
    };
    EXPECT_TRUE(same_bits(values(cpu(1), a), values(cpu(3), a)));
    auto sorted = wide;
    for (int r = 0; r < sorted.rows; ++r) { // each row has two entries
      const auto e = static_cast<std::size_t>(2 * r);
      if (sorted.columns[e] > sorted.columns[e + 1]) {
        std::swap(sorted.columns[e], sorted.columns[e + 1]);
        std::swap(sorted.values[e], sorted.values[e + 1]);
      }
      sorted.values[e + (sorted.columns[e] == r ? 0u : 1u)] = 3;
    }
    EXPECT_TRUE(same_bits(values(cpu(1), sorted), values(cpu(3), sorted)));
  }
}

TEST(IncompleteFactors, RefuseWhatHasNone) { expect_refusals_of_factors(cpu(2)); }

TEST(IterativeSolvers, Converge) {
  const auto one = expect_convergence<double>(cpu(1), 60, 1e-9);
  const auto three = expect_convergence<double>(cpu(3), 60, 1e-9);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(same_bits(one[i].x, three[i].x)) << i;
    EXPECT_EQ(one[i].residuals, three[i].residuals) << i;
  }
  expect_convergence<float>(cpu(2), 20, 1e-5);
}

TEST(IterativeSolvers, HaveTheBitsOfOneThread) {
  const auto a = poisson<double>(200); // with work for three threads
  const auto b = some_values<double>(40'000, 34);
  for (const method how : {method::cg, method::bicgstab})
    for (const auto kind : {preconditioner_kind::jacobi, preconditioner_kind::ilu0}) {
      const auto found = [&](int threads) {
        return solution_of(cpu(threads), how, a, b, {.max_iterations = 6, .preconditioner = kind});
      };
      const auto one = found(1), three = found(3);
      EXPECT_EQ(one.report.iterations, 6);
      EXPECT_EQ(one.residuals, three.residuals);
      EXPECT_TRUE(same_bits(one.x, three.x));
    }
}

TEST(IterativeSolvers, EndWithAReason) { expect_ends(cpu(2)); }

TEST(IterativeSolvers, BeginAtTheGivenVector) {
  const auto a = poisson<double>(10);
  const auto b = some_values<double>(100, 33);
  const auto first = solution_of(cpu(), method::cg, a, b, {.tolerance = 1e-10});
  std::vector<double> x = first.x;
  EXPECT_EQ(solve_cg(cpu(), a.view(), b, x, {.tolerance = 1e-8}).iterations, 0);
  EXPECT_EQ(solve_bicgstab(cpu(), a.view(), b, x, {.tolerance = 1e-8}).iterations, 0);
  EXPECT_EQ(x, first.x);
}

TEST(IterativeSolvers, RefuseOptionsOutOfRange) {
  const auto a = poisson<double>(2);
  std::vector<double> b(4), x(4);
  EXPECT_EQ(refusal_of([&] { solve_cg(cpu(), a.view(), b, x, {.tolerance = -1}); }),
            "tolerance = -1: must be at least 0 and less than 1");
  EXPECT_EQ(refusal_of([&] { solve_cg(cpu(), a.view(), b, x, {.max_iterations = -1}); }),
            "max_iterations = -1: must not be negative");
  EXPECT_EQ(refusal_of([&] { solve_cg(cpu(), csr_view<double>{2, 3}, b, x); }),
            "the matrix has 2 rows and 3 columns: a system to solve is square");
  expect_in(refusal_of([&] { solve_cg(cpu(), a.view(), b, b); }), "overlaps it");
}

} // namespace
} // namespace evenly::systems
