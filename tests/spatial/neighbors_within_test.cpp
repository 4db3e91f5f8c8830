// SPDX-License-Identifier: Apache-2.0
// Neighbours within a radius, against all pairs, on cpu and simt; leaves of places.

#include "evenly/spatial/neighbors_within.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/spatial/bulk_octree.hpp"
#include "evenly/spatial/particles.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

struct places {
  std::vector<double> x, y, z;
  point_view<double> view() const { return points_of(x, y, z); }
};

/// Eighths, so that squares of distances are exact, around a far place: many pairs are just `radius` apart.
places clustered(int count, double far) {
  detail::splitmix64 random(11);
  places made;
  for (int i = 0; i < count; ++i)
    for (auto* axis : {&made.x, &made.y, &made.z}) {
      const auto spread = static_cast<double>(random.next() >> 58) / 8;
      axis->push_back(far + (i % 3 == 0 ? spread : spread / 8));
    }
  return made;
}

template <class Executor>
void expect_neighbours(const Executor& exec, const places& all, double radius, int max_per_leaf) {
  SCOPED_TRACE("radius " + std::to_string(radius) + ", most " + std::to_string(max_per_leaf));
  const octree tree = octree_in_bulk(exec, all.view(), max_per_leaf);
  const neighbors_of_points near = neighbors_within(exec, tree, all.view(), radius);
  const auto tiles = near.tiles();
  const auto count = all.x.size();
  ASSERT_EQ(static_cast<std::size_t>(tiles.tiles()), count);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<int> right, found;
    for (std::size_t j = 0; j < count; ++j) {
      const double dx = all.x[j] - all.x[i], dy = all.y[j] - all.y[i], dz = all.z[j] - all.z[i];
      if (dx * dx + dy * dy + dz * dz <= radius * radius) right.push_back(static_cast<int>(j));
    }
    const auto t = static_cast<int>(i);
    for (auto a = tiles.begin(t); a < tiles.end(t); ++a)
      found.push_back(near.points()[static_cast<std::size_t>(a)]);
    std::ranges::sort(found);
    ASSERT_EQ(found, right) << "point " << i;
  }
}

TEST(Neighbours, AreThoseOfAllPairs) {
  for (const double far : {0.0, -1024.0, 0x1p30})
    for (const double radius : {0.0, 0.125, 0.375, 1.0, 100.0})
      for (const int max_per_leaf : {1, 20, 1000})
        expect_neighbours(cpu(), clustered(250, far), radius, max_per_leaf);
}

TEST(Neighbours, OnSimtAreTheSame) { expect_neighbours(simt(), clustered(60, 3), 0.5, 4); }

TEST(Neighbours, OfFewOrEqualPoints) {
  expect_neighbours(cpu(), {}, 1, 20);
  expect_neighbours(cpu(), clustered(1, 5), 1, 20);
  const std::vector<double> same(30, 2.5);
  expect_neighbours(cpu(), {same, same, same}, 0, 20);
}

TEST(Neighbours, PlacesAreInTheLeavesOfTheirCells) {
  const places all = clustered(200, 7);
  const octree tree = octree_in_bulk(cpu(), all.view(), 4);
  const octree_view view = tree.view();
  for (std::size_t i = 0; i < all.x.size(); ++i) {
    const spatial::octree_node leaf = view.nodes[view.leaf_of(all.x[i], all.y[i], all.z[i])];
    ASSERT_TRUE(leaf.is_leaf());
    const auto run =
        tree.order().subspan(static_cast<std::size_t>(leaf.begin), static_cast<std::size_t>(leaf.size()));
    EXPECT_EQ(std::ranges::count(run, static_cast<int>(i)), 1);
  }
  EXPECT_EQ(view.leaf_of(-1e300, -1e300, -1e300), view.leaf_of(spatial::grid_cell{0, 0, 0}))
      << "outside: the nearest cell";
}

TEST(Neighbours, RefusesWhatCannotBe) {
  const places all = clustered(5, 0), fewer = clustered(4, 0);
  const octree tree = octree_in_bulk(cpu(), all.view());
  EXPECT_EQ(message_of<invalid_argument>([&] { neighbors_within(cpu(), tree, all.view(), -1); }),
            "radius = -1.000000: must be 0 or more");
  EXPECT_EQ(message_of<invalid_argument>([&] { neighbors_within(cpu(), tree, all.view(), std::nan("")); }),
            "radius = nan: must be 0 or more");
  EXPECT_EQ(message_of<invalid_argument>([&] { neighbors_within(cpu(), tree, fewer.view(), 1); }),
            "4 points, but the tree has 5: the tree must be that of the points");
}

} // namespace
} // namespace evenly
