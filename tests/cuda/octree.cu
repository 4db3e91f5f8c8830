// SPDX-License-Identifier: Apache-2.0
// Octrees and neighbours on a GPU.

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/spatial/neighbors_within.hpp"
#include "evenly/tasks/registry.hpp"
#include "spatial/octree_laws.hpp"

namespace evenly {
namespace {

using namespace octree_laws;

void expect_same_neighbours(const spatial::particle_cells& cells, double radius) {
  const evenly::cuda exec;
  const device_cells<evenly::cuda> placed(exec, cells);
  const octree tree = octree_in_bulk(exec, placed.view());
  const neighbors_of_points near = neighbors_within(exec, tree, placed.view(), radius);
  const octree on_host = octree_in_bulk(cpu(), cells.view());
  const neighbors_of_points right = neighbors_within(cpu(), on_host, cells.view(), radius);
  EXPECT_TRUE(to_host(exec, near.offsets()) == to_host(cpu(), right.offsets()));
  EXPECT_TRUE(to_host(exec, near.points()) == to_host(cpu(), right.points()));
}

TEST(ReducedOctree, KeepsTheLawsUnderEveryPool) {
  tasks::for_each_pool([](const char* name, const auto& pool) {
    SCOPED_TRACE(name);
    octree_options options;
    options.tasks.blocks = 2;
    for (const int cut : {0, 70}) {
      options.cut = cut;
      expect_octree(evenly::cuda(), pool, spatial::tube_particles(600, 3), options);
    }
    expect_octree(evenly::cuda(), pool, groups(4, 21), options);
  });
  expect_same_neighbours(spatial::tube_particles(200, 5), 70'000);
}

TEST(OctreeOnCuda, SmallOnes) { expect_small_octrees(evenly::cuda(), batched_stealing{}); }

TEST(OctreeOnCuda, HasTheKnownSizesUnderEveryPool) {
  tasks::for_each_pool([](const char* name, const auto& pool) {
    SCOPED_TRACE(name);
    expect_known_octrees(evenly::cuda(), pool);
  });
}

TEST(OctreeOnCuda, OfManyPointsKeepsTheLaws) {
  for (const int cut : {0, 500, 4096, 100'000}) {
    octree_options options;
    options.cut = cut;
    expect_octree(evenly::cuda(), stealing{}, spatial::tube_particles(300'000, 9), options);
    expect_octree(evenly::cuda(), static_list{}, spatial::uniform_particles(200'000, 9), options);
  }
  expect_same_neighbours(spatial::uniform_particles(50'000), 40'000);
}

TEST(OctreeOnCuda, BlocksRunTasks) {
  for (const int cut : {0, 4096}) {
    octree_options options;
    options.cut = cut;
    expect_octree<tasks::each_block>(evenly::cuda(), stealing{}, spatial::tube_particles(100'000, 9),
                                     options);
    expect_octree<tasks::each_block>(evenly::cuda(), blocking_queue{}, spatial::tube_particles(10'000, 9),
                                     options);
  }
}

TEST(OctreeOnCuda, HasABlockPerMultiprocessorByDefault) {
  const evenly::cuda exec;
  const device_cells<evenly::cuda> placed(exec, spatial::uniform_particles(10'000));
  const spatial::octree_by_tasks made = build_octree(exec, placed.view());
  EXPECT_EQ(made.report.blocks, exec.multiprocessors());
  EXPECT_EQ(spatial::summary_of(exec, made.tree),
            spatial::summary_of(exec, octree_in_bulk(exec, placed.view())));
  octree_options options;
  options.tasks.blocks = 2;
  EXPECT_EQ(build_octree(exec, placed.view(), options).report.blocks, 2);
}

} // namespace
} // namespace evenly
