// SPDX-License-Identifier: Apache-2.0
// The laws of an octree, for either way of making it, on any executor.
//
//   1. Each point is in exactly one leaf, which is the leaf of its cell.
//   2. A node with children has more than `max_per_leaf` points and less than 21 levels above it; any other node has
//   not.
//   3. Children share out the points of their parent, in the order of octants; nodes of a level are in Morton order.
//   4. By tasks and in bulk, node by node, the trees are the same, and so are the points of each leaf.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/spatial/build_octree.hpp"
#include "evenly/spatial/bulk_octree.hpp"
#include "evenly/spatial/particles.hpp"

namespace evenly::octree_laws {

template <class Executor> struct device_cells {
  buffer<std::uint32_t> x, y, z;
  device_cells(const Executor& exec, const spatial::particle_cells& all)
      : x(to_executor(exec, all.x)), y(to_executor(exec, all.y)), z(to_executor(exec, all.z)) {}
  point_view<std::uint32_t> view() const { return points_of(x, y, z); }
};

/// A tree on the host.
struct host_tree {
  std::vector<spatial::octree_node> nodes;
  std::vector<int> order;
  std::vector<std::uint64_t> keys;
  std::vector<int> levels;
  octree_view view;

  template <class Executor>
  host_tree(const Executor& exec, const octree& tree)
      : nodes(to_host(exec, tree.nodes())), order(to_host(exec, tree.order())),
        keys(to_host(exec, tree.keys())), levels(tree.levels()), view(tree.view()) {
    view.nodes = nodes.data();
    view.order = order.data();
    view.keys = keys.data();
  }
  /// The points of each leaf, in ascending order.
  std::vector<int> points_by_leaves() const {
    std::vector<int> all = order;
    for (const spatial::octree_node& node : nodes)
      if (node.is_leaf()) std::sort(all.begin() + node.begin, all.begin() + node.end);
    return all;
  }
};

inline void expect_sound(const host_tree& tree, const spatial::particle_cells& cells, int max_per_leaf) {
  const auto count = static_cast<int>(cells.x.size());
  ASSERT_EQ(tree.order.size(), cells.x.size());
  ASSERT_EQ(tree.keys.size(), cells.x.size());
  ASSERT_EQ(tree.levels.back(), static_cast<int>(tree.nodes.size()));
  std::vector<int> sorted = tree.order, all(cells.x.size());
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), 0);
  ASSERT_EQ(sorted, all) << "each point is there once";
  EXPECT_EQ(tree.nodes[0].begin, 0);
  EXPECT_EQ(tree.nodes[0].end, count);
  int children = 1;
  for (std::size_t d = 0; d + 1 < tree.levels.size(); ++d)
    for (int i = tree.levels[d]; i < tree.levels[d + 1]; ++i) {
      const spatial::octree_node& node = tree.nodes[static_cast<std::size_t>(i)];
      ASSERT_EQ(!node.is_leaf(), node.size() > max_per_leaf && d < spatial::octree_levels) << "node " << i;
      if (node.is_leaf()) {
        for (int at = node.begin; at < node.end; ++at) {
          const auto p = static_cast<std::size_t>(tree.order[static_cast<std::size_t>(at)]);
          const spatial::grid_cell cell{cells.x[p], cells.y[p], cells.z[p]};
          ASSERT_EQ(tree.keys[static_cast<std::size_t>(at)], spatial::morton_key(cell));
          ASSERT_EQ(tree.view.leaf_of(cell), i) << "point " << p;
        }
        continue;
      }
      ASSERT_EQ(node.children, children) << "node " << i;
      children += 8;
      int begin = node.begin;
      for (int c = 0; c < 8; ++c) {
        const spatial::octree_node& child = tree.nodes[static_cast<std::size_t>(node.children + c)];
        ASSERT_EQ(child.begin, begin) << "child " << c << " of node " << i;
        ASSERT_GE(child.end, child.begin);
        begin = child.end;
      }
      ASSERT_EQ(begin, node.end) << "node " << i;
    }
  EXPECT_EQ(children, static_cast<int>(tree.nodes.size()));
}

/// In bulk, and by tasks under the pool, which tells what it did.
template <class Form = tasks::each_warp, class Executor, class Pool>
task_report expect_octree(const Executor& exec, const Pool& pool, const spatial::particle_cells& cells,
                          const octree_options& options = {}) {
  const device_cells<Executor> placed(exec, cells);
  const host_tree bulk(exec, octree_in_bulk(exec, placed.view(), options.max_per_leaf));
  expect_sound(bulk, cells, options.max_per_leaf);
  const spatial::octree_by_tasks made = build_octree<256, Form>(exec, pool, placed.view(), options);
  const host_tree by_tasks(exec, made.tree);
  expect_sound(by_tasks, cells, options.max_per_leaf);
  EXPECT_TRUE(by_tasks.nodes == bulk.nodes);
  EXPECT_EQ(by_tasks.levels, bulk.levels);
  EXPECT_TRUE(by_tasks.points_by_leaves() == bulk.points_by_leaves());
  EXPECT_EQ(made.counted, static_cast<std::int64_t>(cells.x.size()));
  EXPECT_EQ(made.splits, spatial::summary_of(exec, made.tree).internal);
  if (options.cut == 0) {
    EXPECT_EQ(made.report.run, made.splits);
  }
  EXPECT_EQ(made.report.left(), 0);
  return made.report;
}

inline spatial::particle_cells equal_cells(std::size_t count, std::uint32_t at) {
  const std::vector<std::uint32_t> all(count, at);
  return {all, all, all};
}

/// Groups of equal points, which take many splits for few points, and cells on the borders of octants.
inline spatial::particle_cells groups(int count, std::size_t each) {
  spatial::particle_cells made;
  detail::splitmix64 random(5);
  for (int g = 0; g < count; ++g) {
    const auto at = static_cast<std::uint32_t>(random.next() >> 43);
    for (auto* axis : {&made.x, &made.y, &made.z})
      axis->insert(axis->end(), each, g % 2 == 0 ? at : (1u << g % spatial::octree_levels) - g / 2 % 2);
  }
  return made;
}

/// Shapes that are small, under a pool.
template <class Executor, class Pool>
void expect_small_octrees(const Executor& exec, const Pool& pool, const octree_options& options = {}) {
  for (const std::int64_t n : {0, 1, 20, 21, 300}) {
    SCOPED_TRACE(std::to_string(n) + " points");
    expect_octree(exec, pool, spatial::uniform_particles(n, 7), options);
    expect_octree(exec, pool, equal_cells(static_cast<std::size_t>(n), spatial::octree_cells - 1), options);
  }
  expect_octree(exec, pool, spatial::tube_particles(500, 3), options);
  expect_octree(exec, pool, groups(12, 21), options);
  octree_options one = options;
  one.max_per_leaf = 1;
  expect_octree(exec, pool, spatial::tube_particles(60, 3), one);
}

struct known_octree {
  const char* name;
  spatial::particle_cells cells;
  spatial::octree_summary right;
};
/// Trees with published sizes, of more than 20 points a split.
inline std::vector<known_octree> known_octrees() {
  spatial::particle_cells lattice;
  for (std::uint32_t i = 0; i < 64 * 64 * 64; ++i) {
    lattice.x.push_back((i / 4096) << 15 | 1 << 14);
    lattice.y.push_back((i / 64 % 64) << 15 | 1 << 14);
    lattice.z.push_back((i % 64) << 15 | 1 << 14);
  }
  return {{"uniform 10,000", spatial::uniform_particles(10'000), {2'137, 267, 1'870, 71, 4, 34'641}},
          {"uniform 100,000", spatial::uniform_particles(100'000), {30'257, 3'782, 26'475, 860, 5, 483'951}},
          {"tube 10,000", spatial::tube_particles(10'000), {3'073, 384, 2'689, 411, 6, 56'814}},
          {"tube 100,000", spatial::tube_particles(100'000), {29'433, 3'679, 25'754, 1'365, 7, 692'369}},
          {"lattice", lattice, {37'449, 4'681, 32'768, 0, 5, 1'310'720}},
          {"20 equal points", equal_cells(20, 77), {1, 0, 1, 0, 0, 0}},
          {"21 equal points", equal_cells(21, 77), {169, 21, 148, 147, 21, 441}}};
}

template <class Executor, class Pool> void expect_known_octrees(const Executor& exec, const Pool& pool) {
  for (const known_octree& each : known_octrees()) {
    SCOPED_TRACE(each.name);
    const device_cells<Executor> placed(exec, each.cells);
    EXPECT_EQ(spatial::summary_of(exec, octree_in_bulk(exec, placed.view())), each.right);
    EXPECT_EQ(spatial::summary_of(exec, build_octree(exec, pool, placed.view()).tree), each.right);
  }
}

} // namespace evenly::octree_laws
