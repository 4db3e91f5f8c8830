// SPDX-License-Identifier: Apache-2.0
// Octrees on the cores of this machine, under every pool; and refusals.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/tasks/registry.hpp"
#include "spatial/octree_laws.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

using namespace octree_laws;

TEST(Octree, KeepsTheLawsUnderEveryPool) {
  tasks::for_each_pool([](const char* name, const auto& pool) {
    SCOPED_TRACE(name);
    for (const int blocks : {1, 3}) {
      octree_options options;
      options.tasks.blocks = blocks;
      expect_small_octrees(cpu(), pool, options);
    }
    for (const int cut : {0, 100, 5000}) {
      octree_options options;
      options.cut = cut;
      expect_octree(cpu(2), pool, spatial::tube_particles(20'000, 9), options);
    }
  });
}

TEST(Octree, KeepsTheLawsIfBlocksRunTasks) {
  octree_options options;
  options.cut = 5000;
  expect_octree<tasks::each_block>(cpu(2), stealing{}, spatial::tube_particles(20'000, 9), options);
}

TEST(Octree, HasTheKnownSizes) {
  tasks::for_each_pool([](const char* name, const auto& pool) {
    SCOPED_TRACE(name);
    expect_known_octrees(cpu(2), pool);
  });
}

/// 2,100 points are likely to split 216 octants; here they split 100 times as many for each.
TEST(Octree, IsMadeAgainWhereFarMoreIsSplitThanIsLikely) {
  const spatial::particle_cells cells = groups(100, 21);
  const task_report report = expect_octree(cpu(2), batched_stealing{}, cells);
  EXPECT_GT(report.run, detail::likely_splits(static_cast<std::int64_t>(cells.x.size()), 20));
}

TEST(Octree, SaysHowMuchRoomTasksNeeded) {
  octree_options options;
  options.tasks.blocks = 1;
  options.tasks.capacity = 0;
  options.tasks.stack = 9;
  const spatial::particle_cells cells = spatial::uniform_particles(20'000);
  const cpu exec;
  try {
    build_octree(exec, blocking_queue{}, cells.view(), options);
    FAIL() << "64 tasks of a level have no room";
  } catch (const tasks::task_overflow& e) {
    EXPECT_GT(e.needed, 0);
    options.tasks.capacity = e.needed + 2000;
    expect_octree(exec, blocking_queue{}, cells, options);
  }
}

TEST(Octree, CoordinatesAreFittedToTheLongestEdge) {
  const std::vector<double> x{-3, 5, 1, 1}, y{0, 0, 4, 0}, z{1, 1, 1, 1};
  const spatial::octree_box box = spatial::fit_box(cpu(), points_of(x, y, z));
  EXPECT_EQ(box.side, 8);
  EXPECT_EQ(box.cell(-3, 0), 0u);
  EXPECT_EQ(box.cell(5, 0), spatial::octree_cells - 1) << "the greatest is in the last cell";
  EXPECT_EQ(box.cell(1, 0), spatial::octree_cells / 2) << "a border belongs to the cell above";
  EXPECT_EQ(box.cell(1 - 0x1p-40, 0), spatial::octree_cells / 2 - 1);
  EXPECT_EQ(box.cell(4, 1), spatial::octree_cells / 2);
  EXPECT_EQ(box.cell(1, 2), 0u);
  EXPECT_EQ(box.cell(-99, 0), 0u);
  EXPECT_EQ(box.cell(99, 0), spatial::octree_cells - 1);
  const std::vector<float> same(3, 2.5F);
  EXPECT_EQ(spatial::fit_box(cpu(), points_of(same, same, same)).side, 0);
  EXPECT_EQ(spatial::fit_box(cpu(), points_of(same, same, same)).cell(2.5, 0), 0u);
}

TEST(Octree, RefusesWhatIsNoPlace) {
  const cpu exec;
  for (const auto& [value, text] : {std::pair{std::nan(""), "nan"}, std::pair{-HUGE_VAL, "-inf"}}) {
    std::vector<double> x(5000, 1.0), y = x, z = x;
    z[4000] = y[3001] = value;
    EXPECT_EQ(message_of<invalid_argument>([&] { octree_in_bulk(exec, points_of(x, y, z)); }),
              std::string("point 3001 has y = ") + text + ": coordinates must be finite");
    EXPECT_EQ(message_of<invalid_argument>([&] { build_octree(exec, points_of(x, y, z)); }),
              std::string("point 3001 has y = ") + text + ": coordinates must be finite");
  }
  std::vector<std::uint32_t> x{1, 2, 3}, y = x, z = x;
  z[2] = spatial::octree_cells;
  EXPECT_EQ(message_of<invalid_argument>([&] { octree_in_bulk(exec, points_of(x, y, z)); }),
            "point 2 has z = 2097152: cells are numbered from 0 to 2097151");
  EXPECT_EQ(message_of<invalid_argument>([&] { octree_in_bulk(exec, points_of(x, x, x), 0); }),
            "max_per_leaf = 0: a leaf must hold at least one point");
  y.pop_back();
  EXPECT_EQ(message_of<invalid_argument>([&] { points_of(x, y, z); }),
            "points have 3 x, 2 y and 3 z: the numbers must be equal");
  const std::vector<double> wide{-1.7e308, 1.7e308};
  EXPECT_EQ(message_of<invalid_argument>([&] { octree_in_bulk(exec, points_of(wide, wide, wide)); }),
            "the extent of the points overflows a double: scale them");
}

TEST(Morton, KeysGoThereAndBack) {
  detail::splitmix64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const auto axis = [&] { return static_cast<std::uint32_t>(random.next() >> 43); };
    const std::uint32_t x = axis(), y = axis(), z = axis();
    const spatial::grid_cell cell{x, y, z};
    const std::uint64_t key = spatial::morton_key(cell);
    EXPECT_EQ(spatial::cell_of_key(key), cell);
    for (int d = 0; d < spatial::octree_levels; ++d) {
      const int bit = spatial::octree_levels - 1 - d;
      ASSERT_EQ(spatial::octant_of_key(key, d),
                static_cast<int>((x >> bit & 1) << 2 | (y >> bit & 1) << 1 | (z >> bit & 1)));
    }
  }
}

} // namespace
} // namespace evenly
