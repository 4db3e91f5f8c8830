// SPDX-License-Identifier: Apache-2.0
// The collectives on the simulated GPU, for every kind of block: warps that are whole, partial, wider than the block,
// and of one lane; and on cpu, where a block is one thread.

#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "block/collectives.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/sanitized.hpp"

namespace evenly::collectives {
namespace {

const std::vector<int> block_sizes = sanitized ? std::vector{1, 2, 31, 32, 33, 100}
                                               : std::vector{1, 2, 31, 32, 33, 64, 96, 100, 256, 1000, 1024};

class Collectives : public testing::TestWithParam<std::tuple<int, int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Collectives,
                         testing::Combine(testing::ValuesIn(block_sizes), testing::Values(1, 2, 32, 64),
                                          testing::Values(0, 3)));

TEST_P(Collectives, AreRightOnSimt) {
  const auto [block_size, warp_size, seed] = GetParam();
  simt_options options;
  options.warp_size = warp_size;
  options.seed = static_cast<std::uint64_t>(seed);
  expect_all_right(simt(options), block_size);
}

TEST(Collectives, AreTrivialOnCpu) { expect_all_right(cpu(), 1); }

TEST(Lanes, FirstAndLastOfASet) {
  for (int lane = 0; lane < 64; ++lane) {
    const lane_mask bit = lane_mask{1} << lane;
    EXPECT_EQ(first_lane(bit), lane);
    EXPECT_EQ(last_lane(bit), lane);
    EXPECT_EQ(first_lane(bit | lane_mask{1} << 63), lane);
    EXPECT_EQ(last_lane(bit | 1), lane);
    EXPECT_EQ(first_lanes(lane), bit - 1);
  }
  EXPECT_EQ(first_lanes(64), ~lane_mask{0});
}

TEST(StorageLayout, AlignsSharesAndRemembersTheMost) {
  storage_layout layout;
  EXPECT_EQ(layout.take<char>(3).offset, 0u);
  const auto doubles = layout.take<double>(2);
  EXPECT_EQ(doubles.offset, 16u);
  EXPECT_EQ(doubles.count, 2u);
  const auto mark = layout.mark();
  EXPECT_EQ(layout.take<int>(100).offset, 32u);
  layout.rewind(mark);
  EXPECT_EQ(layout.take<short>(1).offset, 32u);
  EXPECT_EQ(layout.take<int>(0).offset, 48u);
  EXPECT_EQ(layout.bytes(), 32u + 400u);
  layout.skip_to_max();
  layout.take<char>(1);
  EXPECT_EQ(layout.bytes(), 32u + 400u + 16u);
}

} // namespace
} // namespace evenly::collectives
