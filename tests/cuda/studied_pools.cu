// SPDX-License-Identifier: Apache-2.0
// The variants in the study of task pools, on a GPU: the lock as printed, values of x, and octants split by blocks.

#include <gtest/gtest.h>

#include "cuda/task_pool_tests.hpp"
#include "evenly/execution/cuda.hpp"
#include "spatial/octree_laws.hpp"
#include "study/studied_pools.hpp"

namespace evenly {
namespace {

void expect_octrees_by_blocks(const auto& pool) {
  for (const int blocks : {1, 3}) {
    octree_options options;
    options.cut = 0;
    options.tasks.blocks = blocks;
    octree_laws::expect_octree<tasks::each_block>(evenly::cuda(), pool, spatial::tube_particles(600, 3),
                                                  options);
  }
}

TEST(ReducedStudiedPools, TheLockAsPrintedKeepsTheLaws) {
  task_laws::expect_few_on_cuda(study::bare_lock_queue{});
}

TEST(ReducedStudiedPools, BlocksSplitOctants) {
  study::for_each_studied_pool([](const char* name, const auto& pool) {
    SCOPED_TRACE(name);
    expect_octrees_by_blocks(pool);
  });
}

TEST(ReducedStudiedPools, QueuesAdvanceAtEveryInterval) {
  for (const int lazy : {1, 2, 256}) expect_octrees_by_blocks(lock_free_queue{.lazy = lazy});
}

} // namespace
} // namespace evenly
