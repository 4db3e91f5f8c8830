// SPDX-License-Identifier: Apache-2.0
// Networks that sort what a thread has in registers. They sort everything if they sort all zeros and ones (Knuth, "The
// Art of Computer Programming" 3, 5.3.4, theorem Z).

#include <algorithm>
#include <cstdint>
#include <random>

#include <gtest/gtest.h>

#include "evenly/sparse/detail/product_by_threads.hpp"

namespace evenly::detail {
namespace {

template <int N> bool sorts(std::uint64_t ones) {
  std::uint32_t keys[N];
  for (int i = 0; i < N; ++i) keys[i] = ones >> i & 1;
  sort_in_registers(keys);
  return std::ranges::is_sorted(keys);
}

TEST(SortingNetwork, SortsAllZerosAndOnes) {
  for (std::uint64_t ones = 0; ones < 1u << 8; ++ones) EXPECT_TRUE(sorts<8>(ones)) << ones;
  for (std::uint64_t ones = 0; ones < 1u << 16; ++ones) EXPECT_TRUE(sorts<16>(ones)) << ones;
}

TEST(SortingNetwork, SortsRandomZerosAndOnes) {
  std::mt19937_64 next(1);
  for (int run = 0; run < 20'000; ++run) {
    const std::uint64_t dense = next(), sparse = dense & next() & next();
    EXPECT_TRUE(sorts<32>(dense) && sorts<32>(sparse) && sorts<32>(~sparse));
    EXPECT_TRUE(sorts<64>(dense) && sorts<64>(sparse) && sorts<64>(~sparse));
  }
}

TEST(SortingNetwork, HasAsManyExchangesAsBatcherSays) {
  EXPECT_EQ(network_of<8>.count, 19);
  EXPECT_EQ(network_of<16>.count, 63);
  EXPECT_EQ(network_of<32>.count, 191);
  EXPECT_EQ(network_of<64>.count, 543);
}

} // namespace
} // namespace evenly::detail
