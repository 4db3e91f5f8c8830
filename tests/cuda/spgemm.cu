// SPDX-License-Identifier: Apache-2.0
// Sparse times sparse on a GPU: the laws of sparse/spgemm_laws.hpp.

#include <vector>

#include <gtest/gtest.h>

#include "cuda/one_size.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "sparse/spgemm_laws.hpp"

namespace evenly::products {
namespace {

TEST(ReducedSpgemmOnCuda, GoesAllWays) {
  const cuda_of_any_size exec;
  expect_products_of_all_sizes<double>(exec, {0, 1, 2, 3, 5, 9, 17, 33, 64, 65, 130, 300, 700, 1030, 2100},
                                       200);
  expect_products_of_giants(exec, 5000, 200'000);
  expect_products_of_neighbours(exec);
  expect_products_of_classes(exec);
  expect_products_of_many_entries(exec);
  expect_products_of_sorts(exec);
  for (const int cols :
       {129, 1 << 17, (1 << 17) + 1, 1 << 19, (1 << 19) + 1, (1 << 20) + 1, (1 << 21) + 1, (1 << 23) + 7})
    expect_products_of_bitmaps(exec, cols);
}

TEST(SpgemmOnCuda, HasTheEntriesOfASlowProduct) {
  const cuda_of_any_size exec;
  expect_products_of_all_forms<double>(exec);
  std::vector<int> sizes;
  for (int bound = 1; bound <= 8192; bound *= 2)
    for (const int size : {bound - 1, bound, bound + 1}) sizes.push_back(size);
  expect_products_of_all_sizes<double>(exec, sizes, 200);
  expect_products_of_all_sizes<double>(exec, sizes, 3000);
  expect_products_of_all_sizes<double>(exec, sizes, 1'500'000);
  expect_products_of_giants(exec, 300'000, 2'000'000);
}

TEST(SpgemmOnCuda, FindsWhetherColumnsAscend) { expect_order_of_columns(cuda()); }

TEST(SpgemmOnCuda, KeepsItsIdentities) { expect_identities(cuda_of_any_size(), 7); }

TEST(SpgemmOnCuda, FillsTheSameAgainAndInChunks) {
  std::vector<int> sizes;
  for (int row = 0; row < 600; ++row) sizes.push_back(row % 50 == 9 ? 800 : row % 7);
  expect_fills(cuda_of_any_size(), with_sizes<double>(sizes, 600, numbers::real, 1),
               with_sizes<double>(sizes, 2500, numbers::real, 2));
}

TEST(SpgemmOnCuda, HasTheBitsOfTheCpu) {
  std::vector<int> sizes;
  for (int row = 0; row < 20'000; ++row) sizes.push_back(row % 4000 == 9 ? 3000 : row % 40);
  const auto a = with_sizes<double>(sizes, 20'000, numbers::real, 1);
  const auto expected = product(cpu(), a, a);
  const cuda_of_any_size exec;
  for (int run = 0; run < 10; ++run) EXPECT_TRUE(same_matrix(product(exec, a, a), expected)) << run;
}

} // namespace
} // namespace evenly::products
