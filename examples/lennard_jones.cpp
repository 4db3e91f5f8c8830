// SPDX-License-Identifier: Apache-2.0
// Forces between particles in a periodic box: a neighbor list is a tile set, and forces are sums over its tiles.

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <evenly/algorithms/reduce_tiles.hpp>
#include <evenly/execution/cpu.hpp>
#include <evenly/execution/memory.hpp>
#include <evenly/schedules/merge_path.hpp>
#include <evenly/spatial/neighbor_list.hpp>

using vector = std::array<double, 3>;

struct sum_of_vectors {
  using value_type = vector;
  EVENLY_FN vector identity() const { return {0, 0, 0}; }
  EVENLY_FN vector operator()(const vector& a, const vector& b) const {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  }
};

int main() {
  constexpr int side = 8, n = side * side * side;
  constexpr double spacing = 1.2, cutoff = 2.5;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> around(-0.1, 0.1);
  std::vector<double> x, y, z;
  for (int i = 0; i < n; ++i) {
    x.push_back(spacing * (i % side) + around(random));
    y.push_back(spacing * (i / side % side) + around(random));
    z.push_back(spacing * (i / side / side) + around(random));
  }

  const evenly::cpu exec;
  evenly::spatial::neighbor_options options;
  options.box = evenly::spatial::simulation_box::orthorhombic(side * spacing, side * spacing, side * spacing);
  options.vectors = true;
  const auto near = evenly::spatial::neighbor_list(exec, evenly::points_of(x, y, z), cutoff, options);

  std::vector<vector> forces(n);
  const auto force_of_pair = [d = evenly::view(exec, near.vectors())](std::int64_t pair) {
    const double dx = d[3 * pair], dy = d[3 * pair + 1], dz = d[3 * pair + 2];
    const double inverse = 1 / (dx * dx + dy * dy + dz * dz), sixth = inverse * inverse * inverse;
    const double force = -24 * inverse * sixth * (2 * sixth - 1); // from the neighbor to the point
    return vector{force * dx, force * dy, force * dz};
  };
  evenly::reduce_tiles(
      exec, evenly::merge_path{}, near.tiles(), force_of_pair, sum_of_vectors{},
      [out = evenly::view(exec, forces)](int point, const vector& sum) { out[point] = sum; });

  vector total{0, 0, 0};
  double strongest = 0;
  for (const vector& f : forces) {
    total = sum_of_vectors{}(total, f);
    strongest = std::fmax(strongest, std::hypot(f[0], f[1], f[2]));
  }
  std::printf("%d points, %zu pairs, strongest force %.3f\n", n, near.indices().size(), strongest);
  const double left = std::hypot(total[0], total[1], total[2]);
  return left < 1e-9 * strongest * n && strongest > 0 ? 0 : 1; // each pair has opposite forces
}
