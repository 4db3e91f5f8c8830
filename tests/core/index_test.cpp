// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic at its borders.

#include "evenly/core/index.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace evenly {
namespace {

TEST(Index, CeilDiv) {
  for (int value = 0; value <= 50; ++value)
    for (int divisor = 1; divisor <= 12; ++divisor) {
      const int q = ceil_div(value, divisor);
      EXPECT_GE(q * divisor, value);
      EXPECT_LT((q - 1) * divisor, value);
    }
  EXPECT_EQ(ceil_div<std::int64_t>(std::int64_t{1} << 40, 1 << 20), 1 << 20);
  EXPECT_EQ(ceil_div<std::size_t>(1, 64), 1u);
}

TEST(Index, QuotientAndRemainder) {
  constexpr int max = std::numeric_limits<int>::max();
  for (const int a : {0, 1, 31, 32, 33, max - 1, max})
    for (const int b : {1, 2, 7, 32, max}) {
      EXPECT_EQ(quotient(a, b), a / b);
      EXPECT_EQ(remainder(a, b), a % b);
    }
}

TEST(Index, FloorPowerOfTwo) {
  for (int bit = 0; bit < 31; ++bit) {
    const int power = 1 << bit;
    EXPECT_EQ(floor_power_of_two(power), power);
    EXPECT_EQ(floor_power_of_two(power + (power - 1)), power);
  }
}

template <class Integer> std::vector<Integer> strided(Integer begin, Integer end, int rank, int stride) {
  std::vector<Integer> seen;
  for_strided(begin, end, rank, stride, [&](Integer i) { seen.push_back(i); });
  return seen;
}

TEST(Index, ForStridedVisitsItsShare) {
  for (int length = 0; length < 20; ++length)
    for (int stride = 1; stride < 6; ++stride)
      for (int rank = 0; rank < stride; ++rank) {
        std::vector<int> want;
        for (int i = -3 + rank; i < length - 3; i += stride) want.push_back(i);
        EXPECT_EQ(strided(-3, length - 3, rank, stride), want);
      }
}

TEST(Index, ForStridedFormsNoIndexPastTheEnd) { // the undefined-behaviour sanitizer sees one that overflows
  constexpr auto max = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(strided(max - 2, max, 0, 1000), std::vector{max - 2});
  EXPECT_EQ(strided(max - 2, max, 1, 2), std::vector{max - 1});
  EXPECT_EQ(strided(max - 2, max, 900, 1000), std::vector<std::int32_t>{});
}

TEST(Index, SmallerAndLarger) {
  EXPECT_EQ(smaller(-1, 2), -1);
  EXPECT_EQ(larger(-1, 2), 2);
  EXPECT_EQ(smaller(5, 5), 5);
  EXPECT_EQ(larger<std::int64_t>(std::int64_t{1} << 40, 3), std::int64_t{1} << 40);
}

} // namespace
} // namespace evenly
