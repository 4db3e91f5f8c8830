// SPDX-License-Identifier: Apache-2.0
// The versions of scans keep their promises (promises.hpp) on cpu and simt.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "ladder/promises.hpp"

namespace evenly::ladder {
namespace {

TEST(Ladder, ScansOnSimt) {
  for (const int block_size : {1, 4, 64}) {
    const simt exec({.warp_size = block_size == 64 ? 32 : 4});
    expect_all_scans<affine_maps>(exec, block_size,
                                  all_lengths_to(block_size == 4 ? max_length : max_length / 8));
    expect_all_scans<float_sum>(exec, block_size, all_lengths_to(max_length / 10));
  }
  expect_all_scans<affine_maps>(simt(), 256, around_powers(8, max_power - 3));
  expect_all_scans<affine_maps>(simt(), 256, {(1 << max_power) - 1, 1 << max_power, (1 << max_power) + 1});
}

TEST(Ladder, ScansInAnyOrderOfThreads) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    expect_all_scans<affine_maps>(simt({.warp_size = seed % 2 == 0 ? 32 : 8, .seed = seed}), 64, {1002});
}

TEST(Ladder, ScansOnCpu) {
  const cpu exec(2);
  std::vector<std::int64_t> lengths = all_lengths_to(max_length);
  for (const std::int64_t n : around_powers(9, 13)) lengths.push_back(n);
  lengths.insert(lengths.end(), {100'003, (1 << 20) + 1});
  expect_all_scans<affine_maps>(exec, 256, lengths);
  expect_all_scans<float_sum>(exec, 256, {0, 1, 2, 1000, 100'003});
}

} // namespace
} // namespace evenly::ladder
