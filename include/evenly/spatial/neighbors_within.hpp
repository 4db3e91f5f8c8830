// SPDX-License-Identifier: Apache-2.0
// The neighbours of each point of an octree within a radius, as a tile set. A tile is a point, its atoms are its
// neighbours, so particle codes can use reduce_tiles (algorithms/reduce_tiles.hpp) under any schedule:
//
//   const octree tree = octree_in_bulk(exec, points);
//   const neighbors_of_points near = neighbors_within(exec, tree, points, 0.1);
//   const auto list = view(exec, near.points());
//   reduce_tiles(exec, schedule, near.tiles(), [=] EVENLY_FN(std::int64_t atom) { return mass[list[atom]]; },
//                plus<double>{}, [=] EVENLY_FN(int point, double sum) { sums[point] = sum; });
//
// A thread descends the tree for its point, into the octants that the cube around it touches, and reads all points of
// their leaves: once to count, once to write.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/spatial/octree.hpp"
#include "evenly/spatial/points.hpp"
#include "evenly/work/csr.hpp"

namespace evenly::spatial {

/// Calls visit(leaf) for each leaf, including empty ones, that has a cell in [min, max], in Morton order.
template <class Visit>
EVENLY_FN void for_each_leaf(const octree_view& tree, const grid_cell& min, const grid_cell& max,
                             const Visit& visit) {
  if (tree.nodes[0].is_leaf()) return visit(0);
  int children[octree_levels]; // of the octant at each depth on the current path
  int next[octree_levels];     // the next child to visit at each depth
  grid_cell at{0, 0, 0};       // the octant, among those of its depth
  children[0] = tree.nodes[0].children;
  next[0] = 0;
  for (int depth = 0; depth >= 0;) {
    if (next[depth] == 8) {
      --depth;
      at = {at.x >> 1, at.y >> 1, at.z >> 1};
      continue;
    }
    const int child = next[depth]++, shift = octree_levels - 1 - depth;
    const auto bits = static_cast<std::uint32_t>(child);
    const grid_cell in{at.x << 1 | bits >> 2, at.y << 1 | (bits >> 1 & 1), at.z << 1 | (bits & 1)};
    if (in.x < min.x >> shift || in.x > max.x >> shift || in.y < min.y >> shift || in.y > max.y >> shift ||
        in.z < min.z >> shift || in.z > max.z >> shift)
      continue;
    const int node = children[depth] + child;
    if (tree.nodes[node].is_leaf()) {
      visit(node);
      continue;
    }
    at = in;
    children[++depth] = tree.nodes[node].children;
    next[depth] = 0;
  }
}

/// Calls visit(point) for each point of the tree whose squared distance from (x, y, z), in double precision, is at most
/// radius * radius. points: those of the tree.
template <coordinate T, class Visit>
EVENLY_FN void for_each_neighbor(const octree_view& tree, const point_view<T>& points, double x, double y,
                                 double z, double radius, const Visit& visit) {
  // Slightly larger than the radius, to cover the rounding of distances: no neighbour is outside.
  const double reach = radius * (1 + 0x1p-48);
  const octree_box box = tree.box;
  const grid_cell min{box.cell(x - reach, 0), box.cell(y - reach, 1), box.cell(z - reach, 2)},
      max{box.cell(x + reach, 0), box.cell(y + reach, 1), box.cell(z + reach, 2)};
  for_each_leaf(tree, min, max, [&](int leaf) {
    for (int i = tree.nodes[leaf].begin; i < tree.nodes[leaf].end; ++i) {
      const int p = tree.order[i];
      const double dx = static_cast<double>(points.x[p]) - x, dy = static_cast<double>(points.y[p]) - y,
                   dz = static_cast<double>(points.z[p]) - z;
      if (dx * dx + dy * dy + dz * dz <= radius * radius) visit(p);
    }
  });
}

/// The neighbours of all points, in the memory of an executor. Move-only.
class neighbors_of_points {
 public:
  neighbors_of_points(buffer<std::int64_t> offsets, buffer<int> points)
      : offsets_(std::move(offsets)), points_(std::move(points)) {}

  /// Tile t is point t; its atoms are positions in points().
  auto tiles() const {
    const std::span<const std::int64_t> offsets(offsets_.data(), offsets_.size());
    return csr_tiles(offsets);
  }
  std::span<const std::int64_t> offsets() const { return {offsets_.data(), offsets_.size()}; }
  /// The neighbours of point t, from offsets()[t] to offsets()[t + 1], including the point itself.
  std::span<const int> points() const { return {points_.data(), points_.size()}; }

 private:
  buffer<std::int64_t> offsets_;
  buffer<int> points_;
};

} // namespace evenly::spatial

namespace evenly::detail {

template <class T> struct count_neighbours {
  octree_view tree;
  point_view<T> points;
  double radius;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    spatial::for_each_neighbor(tree, points, static_cast<double>(points.x[i]),
                               static_cast<double>(points.y[i]), static_cast<double>(points.z[i]), radius,
                               [&](int) { ++count; });
    return count;
  }
};

/// Writes the neighbours of point i to `list`; returns their number.
template <class T> struct list_neighbours {
  count_neighbours<T> of;
  const std::int64_t* offsets;
  int* list;
  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    std::int64_t at = offsets[i];
    spatial::for_each_neighbor(of.tree, of.points, static_cast<double>(of.points.x[i]),
                               static_cast<double>(of.points.y[i]), static_cast<double>(of.points.z[i]),
                               of.radius, [&](int p) { list[at++] = p; });
    return at - offsets[i];
  }
};

} // namespace evenly::detail

namespace evenly::spatial {

/// Finds the points within `radius` of each point, including itself, in the order of the tree.
///
/// - tree: of these points. radius: in their units, at least 0.
/// - Cost: each point reads, twice, the points of all leaves that touch a cube with side 2 * radius around it.
/// - Memory: allocates 16 bytes per point and 4 per neighbour.
/// - Synchronisation: waits for the executor.
/// - Throws invalid_argument for a radius that is negative or NaN, and if the number of points differs from the tree's.
template <class Executor, coordinate T>
neighbors_of_points neighbors_within(const Executor& exec, const octree& tree, const point_view<T>& points,
                                     double radius) {
  require(radius >= 0, [&] { return "radius = " + std::to_string(radius) + ": must be 0 or more"; });
  require(points.count == static_cast<std::int64_t>(tree.order().size()), [&] {
    return std::to_string(points.count) + " points, but the tree has " + std::to_string(tree.order().size()) +
           ": the tree must be that of the points";
  });
  const auto size = static_cast<std::size_t>(points.count);
  const auto counts = make_buffer<std::int64_t>(exec, size);
  auto offsets = make_buffer<std::int64_t>(exec, size + 1);
  const detail::count_neighbours<T> count{tree.view(), points, radius};
  exec.fill_zero(offsets.data(), sizeof(std::int64_t));
  tabulate(exec, points.count, count, counts.data());
  inclusive_scan(exec, static_cast<const std::int64_t*>(counts.data()), points.count, plus<std::int64_t>{},
                 offsets.data() + 1);
  std::int64_t total = 0;
  exec.copy_to_host(&total, offsets.data() + points.count, sizeof(total));
  auto list = make_buffer<int>(exec, static_cast<std::size_t>(total));
  tabulate(exec, points.count, detail::list_neighbours<T>{count, offsets.data(), list.data()}, counts.data());
  exec.synchronize();
  return {std::move(offsets), std::move(list)};
}

} // namespace evenly::spatial

namespace evenly {

using spatial::for_each_neighbor, spatial::neighbors_of_points, spatial::neighbors_within;

} // namespace evenly
