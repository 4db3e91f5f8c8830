// SPDX-License-Identifier: Apache-2.0
// Triangular solves on the simulated GPU, which sees races and threads that wait in vain.

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "sparse/triangular_laws.hpp"
#include "support/messages.hpp"

namespace evenly::systems {
namespace {

TEST(TriangularOnSimt, SolvesEachEquation) {
  expect_solutions<double, int>(simt({.warp_size = 32, .seed = 1}));
  expect_solutions<float, std::int64_t>(simt({.warp_size = 8, .seed = 2}));
  expect_solutions<std::complex<double>, int>(simt({.warp_size = 32, .seed = 3}));
}

TEST(TriangularOnSimt, HasTheSameBitsInAnyInterleaving) {
  const auto first = expect_solutions<float, int>(simt({.warp_size = 32, .seed = 4}));
  for (const std::uint64_t seed : {5, 6}) {
    const auto other = expect_solutions<float, int>(simt({.warp_size = 32, .seed = seed}));
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_TRUE(same_bits(first[i], other[i])) << seed << ' ' << i;
  }
}

TEST(TriangularOnSimt, SharesLongRows) {
  expect_long_rows(simt({.warp_size = 32, .seed = 9}));
  expect_long_rows(simt({.warp_size = 8, .seed = 10}));
}

TEST(TriangularOnSimt, HasLevels) { expect_levels(simt({.warp_size = 32, .seed = 7})); }

TEST(TriangularOnSimt, TakesPartsAndSolvesInPlace) {
  expect_solutions_of_views(simt({.warp_size = 32, .seed = 8}));
}

TEST(TriangularOnSimt, SpreadsNan) { expect_nan_where_it_belongs(simt()); }

TEST(TriangularOnSimt, RefusesRowsWithoutDiagonal) { expect_refusals_of_diagonals(simt()); }

/// A warp that takes a row before one on which it depends waits for ever: the order is wrong here.
TEST(TriangularOnSimt, ReportsASolveThatWaitsForEver) {
  const auto a = square<float, int>({{{0, 1.0f}}, {{0, 1.0f}, {1, 1.0f}}});
  const std::vector<float> b{1, 2};
  std::vector<float> x(2);
  std::vector<std::uint64_t> words(2);
  const std::vector<int> wrong{1, 0};
  int fault = 0;
  detail::solve_triangular_kernel<float, int> kernel{
      {{2, false, a.offsets.data(), a.columns.data()}, {}, a.values.data(), false},
      {b.data(), 1, 1},
      {x.data(), 1, 1},
      1,
      {words.data(), 1},
      nullptr,
      &fault,
      {}};
  kernel.system.order.rows = wrong.data();
  kernel.system.order.lanes = 32;
  const std::string report = message_of<simulation_error>(
      [&] { launch(simt({.warp_size = 32}), {.blocks = 1, .block_size = 32, .co_resident = true}, kernel); });
  EXPECT_NE(report.find("backoff"), std::string::npos) << report;
}

} // namespace
} // namespace evenly::systems
