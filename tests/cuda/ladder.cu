// SPDX-License-Identifier: Apache-2.0
// The versions of the ladder on a GPU; what they promise is in ladder/promises.hpp. Tests whose name begins with
// Reduced are few and small enough for compute-sanitizer (--gtest_filter=*Reduced*).

#include "ladder/promises.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"

namespace evenly::ladder {
namespace {

std::vector<std::int64_t> lengths(std::int64_t all_to, int max_power) {
  std::vector<std::int64_t> some = all_lengths_to(all_to);
  for (const std::int64_t n : around_powers(9, max_power)) some.push_back(n);
  return some;
}

TEST(LadderOnCuda, Reduces) {
  for (const int block_size : {256, 32, 1024}) {
    expect_all_reductions<int_sum>(cuda(), block_size, lengths(block_size == 256 ? 300 : 70, 13));
    expect_all_reductions<affine_maps>(cuda(), block_size, lengths(block_size == 256 ? 300 : 70, 13));
    expect_all_reductions<float_sum>(cuda(), block_size, lengths(70, 13));
  }
  expect_all_reductions<affine_maps>(cuda(), 256, {1'000'003, 1 << 22});
}

TEST(LadderOnCuda, Scans) {
  for (const int block_size : {256, 32, 1024}) {
    expect_all_scans<affine_maps>(cuda(), block_size, lengths(block_size == 256 ? 300 : 70, 13));
    expect_all_scans<float_sum>(cuda(), block_size, lengths(40, 11));
  }
  expect_all_scans<affine_maps>(cuda(), 256, {1'000'003, 1 << 22});
}

TEST(LadderOnCuda, Rotates) {
  for (const std::int64_t rows : {0, 1, 31, 32, 33, 100})
    for (const std::int64_t cols : {0, 1, 31, 32, 33, 1000}) {
      expect_all_rotations<int_sum>(cuda(), 256, rows, cols);
      expect_all_rotations<affine_maps>(cuda(), 64, rows, cols);
    }
  expect_all_rotations<int_sum>(cuda(), 256, 2047, 2050);
}

TEST(ReducedLadderOnCuda, ReducesScansAndRotates) {
  for (const int block_size : {64, 256}) {
    expect_all_reductions<affine_maps>(cuda(), block_size, {0, 1, 33, 1000, 1025});
    expect_all_reductions<int_sum>(cuda(), block_size, {33, 1025});
    expect_all_scans<affine_maps>(cuda(), block_size, {0, 1, 33, 1025});
    expect_all_rotations<int_sum>(cuda(), block_size, 33, 65);
  }
}

} // namespace
} // namespace evenly::ladder
