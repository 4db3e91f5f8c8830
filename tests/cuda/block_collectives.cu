// SPDX-License-Identifier: Apache-2.0
// The collectives on a GPU: through launch, whose block size is known at run time only, and inside a user's own
// kernels. What they promise is in block/collectives.hpp.

#include "block/collectives.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"

namespace evenly::collectives {
namespace {

class CollectivesOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, CollectivesOnCuda,
                         testing::Values(1, 2, 31, 32, 33, 64, 96, 100, 256, 1000, 1024));

TEST_P(CollectivesOnCuda, AreRight) { expect_all_right(cuda(), GetParam()); }

TEST(ReducedCollectivesOnCuda, AreRight) {
  for (const int block_size : {33, 96}) {
    expect_right<cuda, lanes_kernel>(cuda(), block_size, "lanes");
    expect_right<cuda, scan_kernel<affine_maps>>(cuda(), block_size, "scans");
    expect_right<cuda, team_kernel<64>>(cuda(), block_size, "teams of 64");
  }
}

/// A user's own kernel: a block of N threads, or of as many as it is launched with.
template <int N, class Kernel>
__global__ void __launch_bounds__(N > 0 ? N : max_block_size) own_kernel(Kernel checks) {
  auto block = this_block<N>();
  checks(block);
}

template <int N, class Kernel> void expect_right_in_own_kernel(int block_size) {
  const cuda exec;
  const auto found = make_buffer<unsigned>(exec, 2 * block_size);
  exec.fill_zero(found.data(), 2 * block_size * sizeof(unsigned));
  const Kernel checks{found.data()};
  own_kernel<N><<<2, block_size, storage_bytes(checks, {block_size, 32})>>>(checks);
  EVENLY_CUDA_CHECK(cudaGetLastError());
  EXPECT_EQ(to_host(exec, found), std::vector<unsigned>(2 * block_size, done)) << "blocks of " << block_size;
}

TEST(OwnKernel, UsesBlocksOfASizeKnownToTheCompiler) {
  expect_right_in_own_kernel<256, lanes_kernel>(256);
  expect_right_in_own_kernel<256, scan_kernel<matrices>>(256);
  expect_right_in_own_kernel<256, team_kernel<64>>(256);
  expect_right_in_own_kernel<96, team_kernel<whole_block>>(96);
  expect_right_in_own_kernel<100, scan_kernel<matrices>>(100);
}

TEST(OwnKernel, UsesBlocksOfASizeKnownAtRunTimeOnly) {
  for (const int block_size : {1, 48, 256, 1000}) {
    expect_right_in_own_kernel<0, lanes_kernel>(block_size);
    expect_right_in_own_kernel<0, scan_kernel<matrices>>(block_size);
    expect_right_in_own_kernel<0, team_kernel<64>>(block_size);
  }
}

// --- device code gets the small integer functions right, for every bit ---

struct bit_functions {
  int* first;
  int* last;
  lane_mask* below;
  int* power; ///< the greatest power of two up to 1, 2, ... 64

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const int lane = block.rank();
    first[lane] = first_lane(lane_mask{1} << lane | lane_mask{1} << 63);
    last[lane] = last_lane(lane_mask{1} << lane | 1);
    below[lane] = first_lanes(lane + 1);
    power[lane] = floor_power_of_two(lane + 1);
  }
};

TEST(DeviceFunctions, KnowEveryLaneOf64) {
  const cuda exec;
  const auto first = make_buffer<int>(exec, 64), last = make_buffer<int>(exec, 64),
             power = make_buffer<int>(exec, 64);
  const auto below = make_buffer<lane_mask>(exec, 64);
  launch(exec, {1, 64}, bit_functions{first.data(), last.data(), below.data(), power.data()});
  for (int lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(to_host(exec, first)[lane], lane);
    EXPECT_EQ(to_host(exec, last)[lane], lane);
    EXPECT_EQ(to_host(exec, below)[lane], lane == 63 ? ~lane_mask{0} : (lane_mask{1} << (lane + 1)) - 1);
    EXPECT_EQ(to_host(exec, power)[lane], floor_power_of_two(lane + 1));
  }
}

} // namespace
} // namespace evenly::collectives
