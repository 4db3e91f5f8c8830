// SPDX-License-Identifier: Apache-2.0
// The collectives on several items a thread, on a GPU. What they promise is in block/item_collectives.hpp.

#include "block/item_collectives.hpp"

#include <gtest/gtest.h>

#include "evenly/execution/cuda.hpp"

namespace evenly::collectives {
namespace {

class ItemCollectivesOnCuda : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(BlockSizes, ItemCollectivesOnCuda,
                         testing::Values(1, 2, 31, 32, 33, 64, 96, 100, 256, 1000, 1024));

TEST_P(ItemCollectivesOnCuda, AreRight) {
  expect_some_items_right(cuda(), GetParam());
  expect_items<whole_block, 7>(cuda(), GetParam());
  expect_items<8, 3>(cuda(), GetParam());
}

TEST(ReducedItemCollectivesOnCuda, AreRight) {
  for (const int block_size : {33, 96}) expect_some_items_right(cuda(), block_size);
}

/// A user's own kernel, in a block of a size known to the compiler.
template <int N, class Kernel> __global__ void __launch_bounds__(N) own_item_kernel(Kernel checks) {
  auto block = this_block<N>();
  checks(block);
}

TEST(OwnKernel, ExchangesItemsInBlocksOfASizeKnownToTheCompiler) {
  constexpr int threads = 96;
  using kernel = exchange_kernel<whole_block, 4, int>;
  const cuda exec;
  const auto found = make_buffer<unsigned>(exec, 2 * threads);
  exec.fill_zero(found.data(), 2 * threads * sizeof(unsigned));
  const kernel checks{found.data()};
  own_item_kernel<threads><<<2, threads, storage_bytes(checks, {threads, 32})>>>(checks);
  EVENLY_CUDA_CHECK(cudaGetLastError());
  EXPECT_EQ(to_host(exec, found), std::vector<unsigned>(2 * threads, done));
}

} // namespace
} // namespace evenly::collectives
