// SPDX-License-Identifier: Apache-2.0
// Sampled products of dense matrices on cores and on the simulated GPU, matrices in one line, and refusals.

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/sparse/matrix.hpp"
#include "sparse/sddmm_laws.hpp"
#include "support/messages.hpp"

namespace evenly::products {
namespace {

std::vector<int> widths_to(int last) {
  std::vector<int> widths(static_cast<std::size_t>(last) + 1);
  std::iota(widths.begin(), widths.end(), 0);
  return widths;
}

TEST(Sddmm, HasTheDotProductsOnCores) {
  expect_sampled_products<float, float>(cpu(2), widths_to(129), "float");
  expect_sampled_products<double, double>(cpu(3), {0, 1, 3, 8, 100}, "double");
  expect_sampled_products<double, double, std::int64_t>(cpu(2), {5, 16}, "double, offsets of 64 bits");
  expect_sampled_products<half, float>(cpu(2), {1, 8, 33}, "half, float");
  expect_sampled_products<bfloat16, bfloat16>(cpu(2), {1, 8, 33}, "bfloat16");
}

TEST(Sddmm, HasTheDotProductsOnSimt) {
  expect_sampled_products<float, float>(simt({.warp_size = 32, .seed = 1}), {0, 1, 3, 16, 32, 100, 129},
                                        "float");
  expect_sampled_products<float, float>(simt({.warp_size = 1}), {3, 8}, "float, warps of 1");
  expect_sampled_products<float, float>(simt({.warp_size = 64, .seed = 5}), {7, 128}, "float, warps of 64");
  expect_sampled_products<double, double, std::int64_t>(simt({.warp_size = 8, .seed = 2}), {5, 64},
                                                        "double, offsets of 64 bits");
  expect_sampled_products<half, half>(simt({.warp_size = 32, .seed = 3}), {4, 8, 64}, "half");
  expect_sampled_products<bfloat16, float>(simt({.warp_size = 32, .seed = 4}), {9, 32}, "bfloat16, float");
}

/// Cores cut rows among blocks.
TEST(Sddmm, CutsLongRows) {
  std::vector<int> sizes{3, 0, 30'000, 0, 0, 7, 5000, 1, 6000};
  for (int r = 0; r < 5000; ++r) sizes.push_back(r % 3);
  const auto m = with_sizes<float>(sizes, 60, numbers::whole, 4);
  const auto x = random_dense<float>(m.rows, 40, dense_layout::rows, 0, numbers::whole, 5);
  const auto y = random_dense<float>(m.cols, 40, dense_layout::rows, 0, numbers::whole, 6);
  expect_sampled<float, float, int>(cpu(3), m, x, y, 1, 0, 0, "cores");
  expect_sampled<float, float, std::int64_t>(cpu(1), m, x, y, 2, 1, 4, "one core");
}

TEST(Sddmm, PropagatesWhatIsNotANumber) {
  expect_sampled_not_numbers(cpu(2));
  expect_sampled_not_numbers(simt());
}

TEST(Sddmm, IsTheAdjointOfSpmm) {
  expect_adjoint_of_spmm(cpu(2), 19);
  expect_adjoint_of_spmm(simt(), 6);
}

TEST(Sddmm, HasTheSameBitsAgain) {
  for (const int width : {7, 32}) {
    EXPECT_EQ(sampled_reals(cpu(1), width, 2), sampled_reals(cpu(3), width, 2));
    const auto first = sampled_reals(simt({.warp_size = 32, .seed = 0}), width);
    EXPECT_EQ(sampled_reals(simt({.warp_size = 32, .seed = 1}), width), first);
    EXPECT_EQ(sampled_reals(simt({.warp_size = 32, .seed = 2}), width), first);
  }
}

TEST(Sddmm, ReturnsAMatrix) {
  const auto m = matrix_of<float>(3, {{{2, 5}, {0, 1}}, {}, {{1, 2}}});
  const matrix<float> x(3, 2, {1, 2, 3, 4, 5, 6}), y(3, 2, {1, 0, 0, 1, 1, 1});
  const auto found = sddmm(m, x, y);
  EXPECT_EQ(found.rows, 3);
  EXPECT_EQ(found.cols, 3);
  EXPECT_EQ(found.offsets, m.offsets);
  EXPECT_EQ(found.columns, m.columns);
  EXPECT_EQ(found.values, (std::vector<float>{3, 1, 6}));
  EXPECT_EQ(sddmm(m.view(), x.view(), y, 2, 10, cpu(2)).values, (std::vector<float>{56, 12, 32}));
  const matrix<half> x16(3, 1, {half(1.0f), half(2.0f), half(3.0f)});
  EXPECT_EQ(sddmm(m, x16, x16).values, (std::vector<float>{3, 1, 6}));
  auto bad = m;
  bad.columns[1] = 3;
  EXPECT_EQ(message_of<invalid_argument>([&] { sddmm(bad, x, y); }),
            "entry 1 is in column 3 of a matrix of 3 columns: they are counted from 0");
}

TEST(Sddmm, RefusesWhatCannotBe) {
  const auto m = with_sizes<double>({2, 0, 1, 3}, 3, numbers::whole, 1);
  std::array<double, 40> x{}, y{}, out{};
  const auto refusal = [&](const dense_view<double>& of_x, const dense_view<double>& of_y, double* to,
                           std::size_t size, const csr_view<double>& of) {
    return message_of<invalid_argument>([&] { sddmm(cpu(), of, of_x, of_y, std::span(to, size), 1, 1); });
  };
  const auto fit_x = dense_rows(4, 2, x.data()), fit_y = dense_rows(3, 2, y.data());
  EXPECT_EQ(refusal(dense_rows(3, 2, x.data()), fit_y, out.data(), 6, m.view()),
            "the matrix has 4 rows and X has 3 rows: the numbers must be equal");
  EXPECT_EQ(refusal(fit_x, dense_rows(4, 2, y.data()), out.data(), 6, m.view()),
            "the matrix has 3 columns and Y has 4 rows: the numbers must be equal");
  EXPECT_EQ(refusal(fit_x, dense_rows(3, 4, y.data()), out.data(), 6, m.view()),
            "X has 2 columns and Y has 4 columns: the numbers must be equal");
  EXPECT_EQ(refusal({4, 2, x.data(), 1}, fit_y, out.data(), 6, m.view()),
            "X has rows of 2 elements, 1 apart: they must not overlap");
  EXPECT_EQ(refusal(fit_x, fit_y, out.data(), 5, m.view()),
            "out has 5 elements, but the matrix has 6 entries");
  EXPECT_EQ(refusal(fit_x, fit_y, nullptr, 6, m.view()), "out is null, but must have 6 elements");
  const std::string overlap = " and overlaps it: they must be disjoint";
  EXPECT_EQ(refusal(fit_x, fit_y, x.data() + 1, 6, m.view()),
            "out begins 8 bytes after the start of X" + overlap);
  EXPECT_EQ(refusal(fit_x, fit_y, y.data(), 6, m.view()),
            "out begins 0 bytes after the start of Y" + overlap);
  auto inside = m;
  inside.values.push_back(0);
  EXPECT_EQ(
      refusal(fit_x, fit_y, inside.values.data() + 1, 6, inside.view()),
      "out begins 8 bytes after the start of values and overlaps it: they must be the same or disjoint");
  EXPECT_EQ(refusal(fit_x, fit_y, reinterpret_cast<double*>(inside.columns.data()), 6, inside.view()),
            "out begins 0 bytes after the start of columns" + overlap);
  EXPECT_EQ(refusal(fit_x, fit_y, out.data(), 6, {4, 3, m.offsets.data(), m.columns.data(), nullptr}),
            "values is null, but must have 6 elements");
  const auto other = m;
  auto plan = make_plan(cpu(), schedule_for_sums{}, rows_of(other.view()));
  EXPECT_EQ(
      message_of<invalid_argument>(
          [&] { sddmm(cpu(), plan, m.view(), fit_x, fit_y, std::span(out.data(), 6)); }),
      "the plan is for other rows than the 4 of the matrix: a plan supports only the offsets that it was "
      "made for");
}

} // namespace
} // namespace evenly::products
