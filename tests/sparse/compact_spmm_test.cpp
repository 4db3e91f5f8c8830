// SPDX-License-Identifier: Apache-2.0
// Sparse times dense in 16 bits on the CPU and on the simulated GPU, and refusals.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "sparse/compact_spmm_laws.hpp"
#include "support/messages.hpp"

namespace evenly::products {
namespace {

TEST(CompactSpmm, RoundsExactSumsOnceOnCores) {
  expect_stored_products(cpu(2), merge_path{}, {1, 3, 8, 100, 200}, "merge_path");
  expect_stored_products(cpu(3), dynamic_group_per_tile{}, {3, 32}, "dynamic_group_per_tile");
}
TEST(CompactSpmm, RoundsExactSumsOnceOnSimt) {
  expect_stored_products(simt({.warp_size = 32, .seed = 1}), merge_path{}, {1, 8, 100}, "merge_path");
}

TEST(CompactSpmm, HasTheSameBitsAgain) {
  const cpu exec(3);
  std::vector<int> sizes;
  for (int r = 0; r < 900; ++r) sizes.push_back(r == 300 ? 9000 : r % 11);
  const auto a = to_executor(exec, with_sizes<float>(sizes, 500, numbers::real, 2));
  const auto values = to_narrow<half>(exec, a.view());
  const auto b =
      stored_as<half>(random_dense<float>(500, 33, dense_layout::rows, 0, numbers::real, 11).memory);
  std::vector<float> first;
  for (int run = 0; run < 10; ++run) {
    std::vector<float> c(900 * 33, -1.0f);
    spmm(exec, merge_path{}, with_values(a.view(), values.data()), dense_rows(500, 33, b.data()),
         dense_rows(900, 33, c.data()));
    if (run == 0) first = c;
    EXPECT_TRUE(std::ranges::equal(c, first, {}, stored_bits<float>, stored_bits<float>)) << "run " << run;
  }
}

/// Sums of doubles for a pattern of doubles, wide offsets, and entries that begin somewhere.
TEST(CompactSpmm, TakesPatternsOfDoubles) {
  const cpu exec(2);
  const std::vector<std::int64_t> offsets{2, 3, 3, 5};
  const std::vector<int> columns{9, 9, 1, 0, 1};
  const csr_view<double, std::int64_t> a{3, 2, offsets.data(), columns.data(), nullptr};
  const std::vector<double> b{0.5, 1e-9, 3, 4};
  std::vector<double> c(6, 7);
  spmm(exec, merge_path{}, pattern_of<double>(a), dense_rows(2, 2, b.data()), dense_columns(3, 2, c.data()));
  EXPECT_EQ(c, (std::vector<double>{3, 0, 3.5, 4, 0, 4 + 1e-9}));
  const std::vector<half> halves{half(9.0f), half(9.0f), half(2.0f), half(3.0f), half(4.0f)};
  const std::vector<half> b16{half(0.5f), half(1.0f)};
  std::vector<half> c16(3, half(7.0f));
  spmm(exec, merge_path{}, with_values(a, halves.data()), dense_rows(2, 1, b16.data()),
       dense_rows(3, 1, c16.data()));
  EXPECT_EQ((std::vector<float>(c16.begin(), c16.end())), (std::vector<float>{2, 0, 5.5}));
}

/// More than half holds becomes infinity in C, and is not in the sum.
TEST(CompactSpmm, HasInfinitiesWhereTheSumIsTooLarge) {
  const cpu exec;
  const std::vector<int> offsets{0, 2, 4, 5}, columns{0, 0, 0, 0, 1};
  const std::vector<half> values{half(60000.0f), half(60000.0f), half(60000.0f), half(-60000.0f), half(1.0f)};
  const csr_view<half> a{3, 2, offsets.data(), columns.data(), nullptr};
  const std::vector<half> b{half(1.0f), half(std::numeric_limits<float>::quiet_NaN())};
  std::vector<half> c(3);
  spmm(exec, merge_path{}, with_values(a, values.data()), dense_rows(2, 1, b.data()),
       dense_rows(3, 1, c.data()));
  EXPECT_EQ(float{c[0]}, std::numeric_limits<float>::infinity());
  EXPECT_EQ(float{c[1]}, 0);
  EXPECT_TRUE(std::isnan(float{c[2]}));
}

TEST(CompactSpmm, RefusesWhatCannotBe) {
  const cpu exec;
  const std::vector<int> offsets{0, 1}, columns{0};
  std::vector<half> values{half(1.0f), half(1.0f)};
  const csr_view<half> a{1, 1, offsets.data(), columns.data(), nullptr};
  std::array<half, 4> memory{};
  const auto refusal = [&](const dense_view<half>& b, const dense_view<half>& c) {
    return message_of<invalid_argument>(
        [&] { spmm(exec, merge_path{}, with_values(a, values.data()), b, c); });
  };
  EXPECT_EQ(refusal(dense_rows(2, 1, memory.data()), dense_rows(1, 1, memory.data() + 2)),
            "A has 1 columns and B has 2 rows: the numbers must be equal");
  EXPECT_EQ(refusal(dense_rows(1, 2, memory.data()), dense_rows(1, 2, memory.data() + 1)),
            "C begins 2 bytes after the start of B and overlaps it: they must be disjoint");
  EXPECT_EQ(refusal(dense_rows(1, 1, memory.data()), dense_rows(1, 1, values.data())),
            "C begins 0 bytes after the start of values and overlaps it: they must be disjoint");
  const half* const none = nullptr;
  EXPECT_EQ(message_of<invalid_argument>([&] {
              spmm(exec, merge_path{}, with_values(a, none), dense_rows(1, 1, memory.data()),
                   dense_rows(1, 1, memory.data() + 1));
            }),
            "values is null, but must have 1 elements");
  // Between the rows of B there is room for those of C, but only of one type these are columns of one matrix.
  const std::vector<int> two_rows{0, 1, 1};
  const auto two = with_values(csr_view<half>{2, 2, two_rows.data(), columns.data(), nullptr}, values.data());
  alignas(float) std::array<half, 16> wide{};
  const dense_view<half> b{2, 1, wide.data(), 4};
  EXPECT_NO_THROW(spmm(exec, merge_path{}, two, b, dense_view<half>{2, 1, wide.data() + 2, 4}));
  const dense_view<float> c{2, 1, reinterpret_cast<float*>(wide.data() + 2), 4};
  EXPECT_EQ(message_of<invalid_argument>([&] { spmm(exec, merge_path{}, two, b, c); }),
            "C begins 4 bytes after the start of B and overlaps it: they must be disjoint");
}

} // namespace
} // namespace evenly::products
