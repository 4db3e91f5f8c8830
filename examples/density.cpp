// SPDX-License-Identifier: Apache-2.0
// The density of a point cloud: an octree finds each point's neighbours, and a schedule balances their summation.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <evenly/algorithms/reduce_tiles.hpp>
#include <evenly/execution/cpu.hpp>
#include <evenly/execution/memory.hpp>
#include <evenly/schedules/merge_path.hpp>
#include <evenly/spatial/build_octree.hpp>
#include <evenly/spatial/neighbors_within.hpp>

int main() {
  constexpr int n = 5000;
  constexpr double radius = 0.05;
  std::mt19937 random(1);
  std::normal_distribution<double> place(0, 0.1); // dense in the middle
  std::vector<double> x(n), y(n), z(n), mass(n), sums(n);
  for (int i = 0; i < n; ++i) {
    x[i] = place(random), y[i] = place(random), z[i] = place(random);
    mass[i] = 1 + i % 3;
  }

  const evenly::cpu exec;
  const auto points = evenly::points_of(x, y, z);
  const evenly::octree tree = evenly::build_octree(exec, points).tree;
  const evenly::neighbors_of_points near = evenly::neighbors_within(exec, tree, points, radius);
  const auto list = evenly::view(exec, near.points());
  evenly::reduce_tiles(
      exec, evenly::merge_path{}, near.tiles(),
      [list, m = evenly::view(exec, mass)](std::int64_t atom) { return m[list[atom]]; },
      evenly::plus<double>{}, [out = evenly::view(exec, sums)](int point, double sum) { out[point] = sum; });

  int densest = 0;
  for (int i = 0; i < n; ++i) {
    double right = 0; // by all pairs
    for (int j = 0; j < n; ++j) {
      const double dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
      if (dx * dx + dy * dy + dz * dz <= radius * radius) right += mass[j];
    }
    if (sums[i] != right) return 1;
    if (sums[i] > sums[densest]) densest = i;
  }
  const double volume = 4.0 / 3 * 3.14159265358979 * radius * radius * radius;
  std::printf("%zu octants, %zu neighbours; densest at (%.3f, %.3f, %.3f): %.0f\n", tree.nodes().size(),
              near.points().size(), x[densest], y[densest], z[densest], sums[densest] / volume);
}
