// SPDX-License-Identifier: Apache-2.0
// The versions of reductions and rotations keep their promises (promises.hpp) on cpu and simt.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "ladder/promises.hpp"
#include "support/messages.hpp"

namespace evenly::ladder {
namespace {

TEST(Ladder, ReducesOnSimt) {
  for (const int block_size : {1, 4, 64}) {
    const simt exec({.warp_size = block_size == 64 ? 32 : 4});
    expect_all_reductions<int_sum>(exec, block_size, all_lengths_to(max_length / 4));
    expect_all_reductions<affine_maps>(exec, block_size, all_lengths_to(max_length));
    expect_all_reductions<float_sum>(exec, block_size, all_lengths_to(max_length / 4));
  }
  expect_all_reductions<int_sum>(simt(), 32, around_powers(8, max_power));
  expect_all_reductions<affine_maps>(simt(), 256, around_powers(8, max_power));
}

TEST(Ladder, ReducesInAnyOrderOfThreads) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const simt exec({.warp_size = seed % 2 == 0 ? 32 : 8, .seed = seed});
    expect_all_reductions<affine_maps>(exec, 64, {1000});
    expect_all_reductions<float_sum>(exec, 64, {1001});
  }
}

TEST(Ladder, ReducesOnCpu) {
  const cpu exec(2);
  std::vector<std::int64_t> lengths = all_lengths_to(max_length);
  for (const std::int64_t n : around_powers(9, 13)) lengths.push_back(n);
  lengths.insert(lengths.end(), {100'003, (1 << 20) + 1});
  expect_all_reductions<int_sum>(exec, 256, lengths);
  expect_all_reductions<affine_maps>(exec, 256, lengths);
  expect_all_reductions<float_sum>(exec, 256, {0, 1, 2, 1000, 100'003});
}

TEST(Ladder, Rotates) {
  const std::vector<std::int64_t> sizes{0, 1, 2, 31, 32, 33, 100};
  for (const std::int64_t rows : sizes)
    for (const std::int64_t cols : sizes) {
      expect_all_rotations<int_sum>(simt(), 64, rows, cols);
      expect_all_rotations<affine_maps>(cpu(2), 256, rows, cols);
    }
  expect_all_rotations<int_sum>(simt(), 1, 40, 3);
  expect_all_rotations<int_sum>(simt(), 1024, 40, 70);
  expect_all_rotations<affine_maps>(cpu(2), 256, 1000, 1003);
}

TEST(Ladder, RefusesWhatBreaksItsRules) {
  const cpu exec;
  int value = 1, result = 0;
  room<int> memory;
  const plus<int> op;
  EXPECT_EQ(
      message_of<invalid_argument>([&] { reduce_interleaved{}(exec, &value, -1, op, &result, memory); }),
      "n = -1: must not be negative");
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { reduce_decomposed{.block_size = 96}(exec, &value, 1, op, &result, memory); }),
            "block_size = 96: must be a power of two from 1 to 1024");
  EXPECT_EQ(message_of<invalid_argument>([&] {
              scan_naive{.block_size = 0}(exec, prefixes::inclusive, &value, 1, op, &result, memory);
            }),
            "block_size = 0: must be a power of two from 1 to 1024");
  EXPECT_EQ(message_of<invalid_argument>(
                [&] { scan_work_efficient{}(exec, prefixes::exclusive, &value, -5, op, &result, memory); }),
            "n = -5: must not be negative");
  EXPECT_EQ(
      message_of<invalid_argument>([&] { rotate_plain{.block_size = 2048}(exec, &value, 1, 1, &result); }),
      "block_size = 2048: must be a power of two from 1 to 1024");
}

} // namespace
} // namespace evenly::ladder
