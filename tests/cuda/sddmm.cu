// SPDX-License-Identifier: Apache-2.0
// Sampled products on a GPU: the laws of sparse/sddmm_laws.hpp.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/cuda.hpp"
#include "sparse/sddmm_laws.hpp"

namespace evenly::products {
namespace {

TEST(SddmmOnCuda, HasTheDotProducts) {
  const cuda_of_tuned_size exec;
  std::vector<int> widths;
  for (int width = 0; width < 130; ++width) widths.push_back(width);
  expect_sampled_products<float, float>(exec, widths, "float");
  expect_sampled_products<double, double, std::int64_t>(exec, {0, 1, 3, 8, 100, 128}, "double");
  expect_sampled_products<half, float>(exec, {1, 8, 33, 64, 256}, "half, float");
  expect_sampled_products<bfloat16, bfloat16>(exec, {1, 8, 33, 64, 256}, "bfloat16");
}

TEST(SddmmOnCuda, DividesALongRow) {
  std::vector<int> sizes;
  for (int r = 0; r < 20'000; ++r) sizes.push_back(r % 9000 == 9 ? 300'000 : r % 11 == 3 ? 0 : r % 7);
  const auto m = with_sizes<float>(sizes, 500, numbers::whole, 2);
  const auto x = random_dense<float>(m.rows, 32, dense_layout::rows, 0, numbers::whole, 3);
  const auto y = random_dense<float>(m.cols, 32, dense_layout::rows, 0, numbers::whole, 4);
  expect_sampled<float, float, int>(cuda_of_tuned_size(), m, x, y, 1, 0, 0, "long rows");
}

TEST(SddmmOnCuda, PropagatesWhatIsNotANumber) { expect_sampled_not_numbers(cuda_of_tuned_size()); }

TEST(SddmmOnCuda, IsTheAdjointOfSpmm) { expect_adjoint_of_spmm(cuda_of_tuned_size(), 20); }

TEST(SddmmOnCuda, HasTheSameBitsAgain) {
  for (const int width : {7, 32})
    EXPECT_EQ(sampled_reals(cuda_of_tuned_size(), width), sampled_reals(cuda_of_tuned_size(), width));
}

} // namespace
} // namespace evenly::products
