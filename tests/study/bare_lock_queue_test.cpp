// SPDX-License-Identifier: Apache-2.0
// bare_lock_queue: the laws of pools. Each task goes through the queue by itself.

#include "study/bare_lock_queue.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "spatial/octree_laws.hpp"
#include "tasks/pool_tests.hpp"

namespace evenly {
namespace {

using namespace task_laws;
using study::bare_lock_queue;

TEST(BareLockQueue, KeepsTheLawsOfPools) {
  expect_trees<tasks::each_thread>(cpu(2), bare_lock_queue{}, blocks_of(2), 500);
  expect_laws_on_simt(bare_lock_queue{}, 6);
  expect_interleavings(bare_lock_queue{}, 60);
}

TEST(BareLockQueue, MovesOneTaskAtATime) {
  simt_options of;
  of.warp_size = 8;
  const task_report report =
      expect_tree<tasks::each_thread>(simt(of), bare_lock_queue{}, 60, 2, 1, blocks_of(1, 8));
  EXPECT_EQ(report.taken, 59) << "all but the first task";
  EXPECT_EQ(report.high_water, 2) << "no worker has more than the children of one task";
}

TEST(BareLockQueue, BlocksSplitOctants) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    octree_options options;
    options.cut = 0;
    options.tasks = blocks_of(2, 8 * static_cast<int>(1 + seed));
    octree_laws::expect_octree<tasks::each_block>(
        simt({.warp_size = 8, .seed = seed, .switch_at_atomics = seed % 2 == 1}), bare_lock_queue{},
        spatial::tube_particles(150, 3), options);
  }
}

} // namespace
} // namespace evenly
