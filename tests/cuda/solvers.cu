// SPDX-License-Identifier: Apache-2.0
// Triangular solves, incomplete factors and iterative solvers on a GPU: the laws of sparse/triangular_laws.hpp and
// sparse/iterative_laws.hpp.

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"
#include "sparse/iterative_laws.hpp"
#include "sparse/triangular_laws.hpp"

namespace evenly::systems {
namespace {

TEST(TriangularOnCuda, SolvesEachEquation) { expect_solutions<double, int>(cuda()); }

TEST(TriangularOnCuda, SharesLongRows) { expect_long_rows(cuda()); }

TEST(TriangularOnCuda, HasLevels) { expect_levels(cuda()); }

TEST(TriangularOnCuda, SpreadsNan) { expect_nan_where_it_belongs(cuda()); }

TEST(TriangularOnCuda, RefusesRowsWithoutDiagonal) { expect_refusals_of_diagonals(cuda()); }

TEST(IncompleteFactorsOnCuda, AreThoseOfASlowReference) { expect_all_factors<double, int>(cuda()); }

TEST(IncompleteFactorsOnCuda, RefuseWhatHasNone) { expect_refusals_of_factors(cuda()); }

TEST(IterativeSolversOnCuda, Converge) {
  const auto first = expect_convergence<double>(cuda(), 60, 1e-9);
  const auto other = expect_convergence<double>(cuda(), 60, 1e-9);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(same_bits(first[i].x, other[i].x)) << i;
}

TEST(IterativeSolversOnCuda, UseFactorsWithLongRows) { expect_exact_factors_of_long_rows(cuda()); }

TEST(IterativeSolversOnCuda, EndWithAReason) { expect_ends(cuda()); }

} // namespace
} // namespace evenly::systems
