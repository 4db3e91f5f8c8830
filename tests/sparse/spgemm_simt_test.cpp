// SPDX-License-Identifier: Apache-2.0
// Sparse times sparse on the simulated GPU, which sees races and accesses outside of storage.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "sparse/spgemm_laws.hpp"

namespace evenly::products {
namespace {

TEST(SpgemmOnSimt, HasTheEntriesOfASlowProduct) {
  expect_products_of_all_forms<double>(simt({.warp_size = 32, .seed = 1}));
  expect_products_of_all_forms<double>(simt({.warp_size = 8, .seed = 2}));
}

TEST(SpgemmOnSimt, HasTheEntriesOfASlowProductInRowsOfAllSizes) {
  std::vector<int> sizes;
  for (const int bound : {1, 2, 4, 8, 16, 32, 64, 128, 512, 1024})
    for (const int size : {bound - 1, bound, bound + 1}) sizes.push_back(size);
  expect_products_of_all_sizes<double>(simt(), sizes, 200);
  sizes.assign({2047, 2048, 2049, 4095, 4096, 4097});
  expect_products_of_all_sizes<double>(simt(), sizes, 700);       // by one bitmap
  expect_products_of_all_sizes<double>(simt(), sizes, 2'000'000); // by a sort, or as giants
}

TEST(SpgemmOnSimt, FindsWhetherColumnsAscend) { expect_order_of_columns(simt({.warp_size = 8, .seed = 6})); }

TEST(SpgemmOnSimt, SumsUpGiants) {
  expect_products_of_giants(simt({.warp_size = 32, .seed = 3}), 5000, 400'000);
  expect_products_of_short_rows(simt({.warp_size = 32, .seed = 5}));
}

/// A block of 64 threads has up to 1,024 parts: of a word for 2^15 columns, of four for 2^17, then of more.
TEST(SpgemmOnSimt, ReadsThePartsOfBitmapsThatHaveBits) {
  const simt exec({.warp_size = 32, .seed = 11});
  for (const int bound : {1 << 15, 1 << 16, 1 << 17})
    for (const int cols : {bound - 1, bound, bound + 1}) expect_products_of_bitmaps(exec, cols);
  for (const int cols : {1, 31, 129, 5000, 140'000, (1 << 18) + 33, 1 << 19, (1 << 20) + 1})
    expect_products_of_bitmaps(exec, cols);
  for (const int warp : {8, 64})
    for (const int cols : {200, 1 << 16, (1 << 17) + 1})
      expect_products_of_bitmaps(simt({.warp_size = warp, .seed = 12}), cols);
}

TEST(SpgemmOnSimt, TakesShortRowsBesideOthersInWarpsOfAllSizes) {
  for (const int warp : {1, 2, 4, 16, 32, 64})
    expect_products_of_neighbours(simt({.warp_size = warp, .seed = 6}));
}

TEST(SpgemmOnSimt, SortsShortRowsOfAllClasses) {
  for (const int warp : {1, 8, 32}) expect_products_of_classes(simt({.warp_size = warp, .seed = 8}));
}

TEST(SpgemmOnSimt, CountsRowsOfManyEntries) {
  for (const int warp : {1, 8, 32, 64}) expect_products_of_many_entries(simt({.warp_size = warp, .seed = 9}));
}

TEST(SpgemmOnSimt, SortsLongRows) {
  for (const int warp : {8, 32, 64}) expect_products_of_sorts(simt({.warp_size = warp, .seed = 10}));
}

TEST(SpgemmOnSimt, KeepsItsIdentities) { expect_identities(simt({.warp_size = 32, .seed = 4}), 7); }

TEST(SpgemmOnSimt, FillsTheSameAgainAndInChunks) {
  std::vector<int> sizes;
  for (int row = 0; row < 60; ++row) sizes.push_back(row % 50 == 9 ? 400 : row % 7);
  expect_fills(simt(), with_sizes<double>(sizes, 60, numbers::real, 1),
               with_sizes<double>(sizes, 250, numbers::real, 2));
}

TEST(SpgemmOnSimt, HasTheBitsOfTheCpuInAnyInterleaving) {
  std::vector<int> sizes;
  for (int row = 0; row < 80; ++row) sizes.push_back(row % 40 == 9 ? 300 : row % 9);
  const auto a = with_sizes<double>(sizes, 80, numbers::real, 1);
  const auto expected = product(cpu(), a, a);
  for (const std::uint64_t seed : {0, 1, 2, 3})
    EXPECT_TRUE(same_matrix(product(simt({.warp_size = 32, .seed = seed}), a, a), expected))
        << "seed " << seed;
}

} // namespace
} // namespace evenly::products
