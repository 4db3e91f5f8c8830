// SPDX-License-Identifier: Apache-2.0
// Incomplete factors and iterative solvers on the simulated GPU.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "sparse/iterative_laws.hpp"

namespace evenly::systems {
namespace {

TEST(IncompleteFactorsOnSimt, AreThoseOfASlowReference) {
  expect_all_factors<double, int>(simt({.warp_size = 32, .seed = 1}));
  expect_all_factors<float, std::int64_t>(simt({.warp_size = 8, .seed = 2}));
}

TEST(IncompleteFactorsOnSimt, RefuseWhatHasNone) { expect_refusals_of_factors(simt()); }

TEST(IterativeSolversOnSimt, Converge) {
  const auto first = expect_convergence<double>(simt({.warp_size = 32, .seed = 3}), 11, 1e-9);
  const auto other = expect_convergence<double>(simt({.warp_size = 32, .seed = 4}), 11, 1e-9);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(same_bits(first[i].x, other[i].x)) << i;
  expect_convergence<float>(simt({.warp_size = 8, .seed = 5}), 9, 1e-5);
}

TEST(IterativeSolversOnSimt, UseFactorsWithLongRows) {
  expect_exact_factors_of_long_rows(simt({.warp_size = 32, .seed = 7}));
}

TEST(IterativeSolversOnSimt, EndWithAReason) { expect_ends(simt({.warp_size = 32, .seed = 6})); }

} // namespace
} // namespace evenly::systems
