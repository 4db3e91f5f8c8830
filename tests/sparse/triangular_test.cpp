// SPDX-License-Identifier: Apache-2.0
// Triangular solves on cores.

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "sparse/triangular_laws.hpp"
#include "support/messages.hpp"

namespace evenly::systems {
namespace {

/// The bits are those of one thread.
template <class Value, class Offset> void expect_solutions_of_threads() {
  const auto one = expect_solutions<Value, Offset>(cpu(1));
  for (std::size_t i = 0; i < one.size(); i += 2)
    EXPECT_TRUE(same_bits(one[i], one[i + 1])) << "a plan: " << i;
  const auto three = expect_solutions<Value, Offset>(cpu(3));
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(same_bits(one[i], three[i])) << i;
}

TEST(Triangular, SolvesEachEquation) {
  expect_solutions_of_threads<double, int>();
  expect_solutions_of_threads<float, std::int64_t>();
  expect_solutions_of_threads<std::complex<double>, int>();
  expect_solutions_of_threads<std::complex<float>, int>();
}

TEST(Triangular, HasLevels) { expect_levels(cpu(2)); }

TEST(Triangular, TakesPartsAndSolvesInPlace) { expect_solutions_of_views(cpu(2)); }

TEST(Triangular, SpreadsNan) { expect_nan_where_it_belongs(cpu(2)); }

TEST(Triangular, RefusesRowsWithoutDiagonal) { expect_refusals_of_diagonals(cpu(2)); }

TEST(Triangular, SharesWideLevels) {
  const auto a = wide_levels<double, int>(30'000);
  const auto b = some_values<double>(30'000, 13);
  std::vector<double> one(b.size());
  solve_triangular(cpu(1), a.view(), b, one);
  EXPECT_TRUE(solves(triangle_of(a, {}), b, one, 1));
  for (const int threads : {1, 2, 3, 5}) {
    triangular_plan plan(cpu(threads), a.view());
    EXPECT_EQ(plan.levels(), 2);
    std::vector<double> x(b.size());
    plan.solve(b, x);
    EXPECT_TRUE(same_bits(x, one)) << threads;
  }
}

TEST(Triangular, UsesNewValuesUnderAPlan) {
  auto a = wide_levels<double, int>(20'000);
  const auto b = some_values<double>(20'000, 14);
  std::vector<double> x(b.size());
  triangular_plan plan(cpu(2), a.view());
  for (double& each : a.values) each *= 2;
  plan.solve(b, x);
  EXPECT_TRUE(solves(triangle_of(a, {}), b, x, 1));
  a.values[0] = a.values[1] = 0; // all entries of row 0
  EXPECT_NE(message_of<invalid_argument>([&] { plan.solve(b, x); }).find("row 0 has no diagonal"),
            std::string::npos);
}

TEST(Triangular, RefusesWhatCannotBe) {
  const cpu exec;
  const auto a = poisson<double>(2);
  std::vector<double> b(4), x(4), five(5);
  EXPECT_EQ(message_of<invalid_argument>([&] { solve_triangular(exec, csr_view<double>{2, 3}, b, x); }),
            "b has 4 elements, but the matrix has 2 rows");
  EXPECT_EQ(message_of<invalid_argument>([&] { triangular_plan(exec, csr_view<double>{2, 3}); }),
            "the matrix has 2 rows and 3 columns: a system to solve is square");
  EXPECT_EQ(message_of<invalid_argument>([&] { triangular_plan(exec, csr_view<double>{2, 2}); }),
            "offsets are null, but the matrix has 2 rows");
  EXPECT_EQ(message_of<invalid_argument>([&] { solve_triangular(exec, a.view(), b, five); }),
            "x has 5 elements, but the matrix has 4 rows");
  const auto sides = [](std::vector<double>& of, int rows, int cols) {
    return dense_rows(rows, cols, of.data());
  };
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { solve_triangular(exec, a.view(), sides(b, 4, 1), sides(five, 4, 0)); }),
            "b has 1 columns, but x has 0: they must be equal");
  EXPECT_EQ(
      message_of<invalid_argument>([&] { solve_triangular(exec, a.view(), sides(b, 2, 2), sides(x, 2, 2)); }),
      "b has 2 rows, but the matrix has 4");
  std::vector<double> both(8);
  EXPECT_EQ(message_of<invalid_argument>([&] {
              solve_triangular(exec, a.view(), dense_rows(4, 2, both.data()),
                               dense_columns(4, 2, both.data()));
            }),
            "x is b in another layout: a solve in place needs the same one");
  EXPECT_NE(message_of<invalid_argument>([&] {
              solve_triangular(exec, a.view(), std::span(both).first(4), std::span(both).subspan(2, 4));
            }).find("overlaps it"),
            std::string::npos);
}

} // namespace
} // namespace evenly::systems
