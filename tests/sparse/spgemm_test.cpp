// SPDX-License-Identifier: Apache-2.0
// Sparse times sparse on cpu.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "sparse/spgemm_laws.hpp"
#include "support/counting_resource.hpp"
#include "support/messages.hpp"

namespace evenly::products {
namespace {

TEST(Spgemm, HasTheEntriesOfASlowProduct) {
  for (const int threads : {1, 3}) {
    expect_products_of_all_forms<float>(cpu(threads));
    expect_products_of_all_forms<double>(cpu(threads));
  }
}

TEST(Spgemm, HasTheEntriesOfASlowProductInRowsOfAllSizes) {
  std::vector<int> sizes;
  for (int size = 0; size <= 130; ++size)
    sizes.push_back(size); // on either side of what is sorted by counting
  expect_products_of_all_sizes<double>(cpu(), sizes, 90);
  expect_products_of_all_sizes<double>(cpu(), sizes, 5'000'000); // in all levels of the set of columns
}

TEST(Spgemm, HasTheEntriesOfASlowProductInRowsAtTheBoundsOfItsMethods) {
  std::vector<int> sizes;
  for (const int bound : {32, 64, 2048}) // sorted by counting, by digits, by one sum per column
    for (const int size : {bound - 1, bound, bound + 1}) sizes.insert(sizes.end(), {size, 3, size});
  for (const int cols : {1, 2, 256, 257, 70'000}) expect_products_of_all_sizes<double>(cpu(1), sizes, cols);
  expect_products_of_all_sizes<float>(cpu(1), sizes, 20'000'000); // four digits
}

/// With an identity as the other factor, the columns of a row's products are those of A's row.
TEST(Spgemm, RepeatsThePatternOfTheRowBeforeOnlyIfAllColumnsAreShiftedAlike) {
  const std::vector<std::vector<int>> patterns{{25, 23, 23, 29},
                                               {27, 25, 25, 31},
                                               {24, 22, 22, 28},
                                               {24, 22, 22, 27},
                                               {24, 22, 22},
                                               {24, 22, 22, 27},
                                               {24, 22, 22, 27, 21},
                                               {},
                                               {24, 22, 22, 27},
                                               {24, 22, 22, 27},
                                               {27, 22, 22, 24},
                                               {0, 39, 1, 2},
                                               {0, 39, 1, 3},
                                               {0},
                                               {39}};
  random_values<double> next(numbers::real, 3);
  row_lists<double> rows;
  for (const auto& pattern : patterns) {
    rows.emplace_back();
    for (const int column : pattern) rows.back().emplace_back(column, next());
  }
  const auto a = matrix_of(40, rows);
  expect_right(cpu(1), a, identity<double>(40), "short rows");
  row_lists<double> wide(40); // the same, with 50 products for each
  for (int row = 0; row < 40; ++row)
    for (int k = 0; k < 50; ++k) wide[static_cast<std::size_t>(row)].emplace_back(row + 7 * k % 50, next());
  expect_right(cpu(1), a, matrix_of(90, wide), "long rows");
  row_lists<double> blocks;
  for (int row = 0; row < 60; ++row) {
    blocks.emplace_back();
    for (int k = 0; k < 6; ++k) blocks.back().emplace_back((row / 3 * 3 + 5 * k) % 60, next());
  }
  expect_right(cpu(1), matrix_of(60, blocks), matrix_of(60, blocks), "three rows alike");
}

TEST(Spgemm, FindsWhetherColumnsAscend) { expect_order_of_columns(cpu()); }

TEST(Spgemm, KeepsItsIdentities) {
  for (const unsigned seed : {1u, 2u, 3u}) expect_identities(cpu(), seed);
}

TEST(Spgemm, FillsTheSameAgainAndInChunks) {
  std::vector<int> sizes;
  for (int row = 0; row < 300; ++row) sizes.push_back(row % 50 == 9 ? 400 : row % 7);
  expect_fills(cpu(), with_sizes<double>(sizes, 300, numbers::real, 1),
               with_sizes<double>(sizes, 250, numbers::real, 2));
}

TEST(Spgemm, HasTheSameBitsUnderAnyNumberOfThreads) {
  std::vector<int> sizes;
  for (int row = 0; row < 2000; ++row) sizes.push_back(row % 500 == 9 ? 1200 : row % 11);
  const auto a = with_sizes<double>(sizes, 2000, numbers::real, 1);
  const auto first = product(cpu(1), a, a);
  for (const int threads : {2, 3, 8}) EXPECT_TRUE(same_matrix(product(cpu(threads), a, a), first)) << threads;
}

TEST(Spgemm, MultipliesIntegers) {
  const auto a = matrix_of<int>(2, {{{0, 2}, {1, 3}}, {{1, -1}}});
  const auto squared = product(cpu(), a, a);
  EXPECT_EQ(squared.columns, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(squared.values, (std::vector<int>{4, 3, 1}));
}

TEST(Spgemm, RefusesMatricesThatDoNotGoTogether) {
  const cpu exec;
  const auto a = to_executor(exec, identity<double>(3)), b = to_executor(exec, identity<double>(4));
  EXPECT_EQ(message_of<invalid_argument>([&] { spgemm(exec, a.view(), b.view()); }),
            "A has 3 columns and B has 4 rows: the numbers must be equal");
  const csr_view<double> null{3, 3, nullptr, nullptr, nullptr};
  EXPECT_EQ(message_of<invalid_argument>([&] { spgemm(exec, a.view(), null); }),
            "B has 3 rows, but its offsets are null");
  const csr_view<double> negative{-1, 3, nullptr, nullptr, nullptr};
  EXPECT_EQ(message_of<invalid_argument>([&] { spgemm(exec, negative, a.view()); }),
            "A has -1 rows and 3 columns: sizes must not be negative");
}

/// Where offsets of 32 bits end is too far for a test; those of 8 and 16 bits are treated alike.
TEST(Spgemm, RefusesMoreEntriesThanOffsetsCountAndHasWideOnesOtherwise) {
  const cpu exec;
  const auto a = to_executor(exec, full<double>(16, 1, 1)), b = to_executor(exec, full<double>(1, 8, 1));
  EXPECT_EQ(message_of<invalid_argument>([&] { spgemm<std::int8_t>(exec, a.view(), b.view()); }),
            "the product has 128 entries, too many for offsets of 8 bits");
  const auto c = spgemm<std::int16_t>(exec, a.view(), b.view());
  EXPECT_EQ(to_host(exec, c.offsets).back(), 128);
  static_assert(
      std::is_same_v<decltype(spgemm(exec, a.view(), b.view())), csr_buffers<double, std::int64_t>>);
  const auto few = to_executor(exec, full<double>(15, 1, 1)); // 120 entries
  const auto narrow = to_host(exec, spgemm<std::int8_t>(exec, few.view(), b.view()));
  EXPECT_TRUE(same_matrix(narrow, product(exec, full<double>(15, 1, 1), full<double>(1, 8, 1))));
}

TEST(Spgemm, CountsProducts) {
  const cpu exec;
  const auto a = matrix_of<double>(3, {{{0, 1}, {2, 1}}, {}, {{2, 1}, {2, 1}, {1, 1}}});
  const auto b = matrix_of<double>(9, {{{0, 1}}, {}, {{1, 1}, {2, 1}, {3, 1}}});
  const auto on_a = to_executor(exec, a), on_b = to_executor(exec, b);
  EXPECT_EQ(spgemm_products(exec, on_a.view(), on_b.view()), 1 + 3 + 3 + 3);
  const csr_view<double> last{1, 3, on_a.offsets.data() + 2, on_a.columns.data(), on_a.values.data()};
  EXPECT_EQ(spgemm_products(exec, last, on_b.view()), 3 + 3);
  const auto of_last = to_host(exec, spgemm(exec, last, on_b.view()));
  EXPECT_EQ(of_last.columns, (std::vector<int>{1, 2, 3}));
}

TEST(Spgemm, TakesNoMoreMemoryThanItSays) {
  for (const int rows : {10, 30'000}) {
    const auto a =
        with_sizes<double>(std::vector<int>(static_cast<std::size_t>(rows), 5), rows, numbers::real, 1);
    counting_resource memory;
    const cpu exec(2, &memory), besides(2);
    const auto on_exec = to_executor(besides, a);
    spgemm_plan plan(exec, on_exec.view(), on_exec.view());
    EXPECT_LE(memory.peak, spgemm_bytes<double>(exec, rows, rows));
    EXPECT_GE(memory.peak, (spgemm_bytes<double>(exec, rows, rows) - 65536) / 2) << "it says far too much";
  }
}

} // namespace
} // namespace evenly::products
