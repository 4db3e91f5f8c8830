// SPDX-License-Identifier: Apache-2.0
// Octrees on the simulated GPU, under every pool, in several interleavings.

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "evenly/tasks/registry.hpp"
#include "spatial/octree_laws.hpp"

namespace evenly {
namespace {

using namespace octree_laws;

TEST(OctreeOnSimt, KeepsTheLawsUnderEveryPool) {
  tasks::for_each_pool([](const char* name, const auto& pool) {
    for (int seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      simt_options of;
      of.seed = static_cast<std::uint64_t>(seed);
      of.switch_at_atomics = seed % 2 == 1;
      of.warp_size = seed % 2 == 0 ? 8 : 4;
      octree_options options;
      options.tasks.blocks = 1 + seed % 3;
      options.tasks.block_size = of.warp_size * (1 + seed % 2);
      expect_octree(simt(of), pool, spatial::tube_particles(150, 3), options);
      expect_octree(simt(of), pool, groups(2, 21), options);
    }
  });
}

/// Slices of an octant end in any order, and of several octants at a time.
TEST(OctreeOnSimt, CutsOctantsUnderEveryPool) {
  tasks::for_each_pool([](const char* name, const auto& pool) {
    SCOPED_TRACE(name);
    for (const int cut : {0, 1, 30, 100}) {
      SCOPED_TRACE("octants of more than " + std::to_string(cut));
      octree_options options;
      options.cut = cut;
      options.tasks.blocks = 3;
      options.tasks.block_size = 8;
      simt_options of;
      of.seed = 5;
      of.switch_at_atomics = true;
      of.warp_size = 8;
      expect_octree(simt(of), pool, spatial::tube_particles(200, 3), options);
      expect_octree(simt(of), pool, equal_cells(60, 9), options);
    }
  });
}

/// A task is run by all warps of a block, or by the first one alone if it is a slice.
TEST(OctreeOnSimt, KeepsTheLawsIfBlocksRunTasks) {
  for (int seed = 0; seed < 5; ++seed)
    for (const int cut : {0, 100}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", cut " + std::to_string(cut));
      simt_options of;
      of.seed = static_cast<std::uint64_t>(seed);
      of.switch_at_atomics = seed % 2 == 1;
      of.warp_size = seed % 3 == 0 ? 8 : 4;
      octree_options options;
      options.cut = cut;
      options.max_per_leaf = seed % 4 == 3 ? 3 : 20;
      options.tasks.blocks = 1 + seed % 3;
      options.tasks.block_size = of.warp_size * (1 + seed % 5);
      expect_octree<tasks::each_block>(simt(of), stealing{}, spatial::tube_particles(150, 3), options);
      expect_octree<tasks::each_block>(simt(of), blocking_queue{}, spatial::uniform_particles(60), options);
      expect_octree<tasks::each_block>(simt(of), static_list{}, groups(2, 21), options);
    }
}

TEST(OctreeOnSimt, SmallOnes) { expect_small_octrees(simt(), batched_stealing{}); }

} // namespace
} // namespace evenly
