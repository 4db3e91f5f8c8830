// SPDX-License-Identifier: Apache-2.0
// Test particles, the same on every platform: integer coordinates from splitmix64 (Steele, Lea & Flood 2014), as one
// sequence in the order of particles. The two distributions of Cederman & Tsigas (2008): uniform in the cube, and in a
// tube.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/spatial/points.hpp"

namespace evenly::spatial {

struct particle_cells {
  std::vector<std::uint32_t> x, y, z;
  point_view<std::uint32_t> view() const { return points_of(x, y, z); }
};

} // namespace evenly::spatial

namespace evenly::detail {

class splitmix64 {
 public:
  explicit splitmix64(std::uint64_t state) : state_(state) {}
  std::uint64_t next() {
    std::uint64_t v = state_ += 0x9e3779b97f4a7c15;
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9;
    v = (v ^ v >> 27) * 0x94d049bb133111eb;
    return v ^ v >> 31;
  }

 private:
  std::uint64_t state_;
};

template <class Make>
spatial::particle_cells make_particles(std::int64_t count, std::uint64_t seed, const Make& make) {
  splitmix64 random(seed);
  spatial::particle_cells made;
  for (auto* axis : {&made.x, &made.y, &made.z}) axis->reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const spatial::grid_cell c = make(random);
    made.x.push_back(c.x);
    made.y.push_back(c.y);
    made.z.push_back(c.z);
  }
  return made;
}

} // namespace evenly::detail

namespace evenly::spatial {

/// Uniform over all cells.
inline particle_cells uniform_particles(std::int64_t count, std::uint64_t seed = 1) {
  return detail::make_particles(count, seed, [](detail::splitmix64& random) {
    const auto axis = [&] { return static_cast<std::uint32_t>(random.next() >> 43); };
    const std::uint32_t x = axis(), y = axis(), z = axis();
    return grid_cell{x, y, z};
  });
}

/// Within a distance of less than 2^17 of the line y = z = 2^20.
inline particle_cells tube_particles(std::int64_t count, std::uint64_t seed = 1) {
  return detail::make_particles(count, seed, [](detail::splitmix64& random) {
    const auto x = static_cast<std::uint32_t>(random.next() >> 43);
    for (;;) {
      const auto across = [&] {
        return static_cast<std::int64_t>(random.next() >> 46) - (std::int64_t{1} << 17);
      };
      const std::int64_t y = across(), z = across();
      if (y * y + z * z < std::int64_t{1} << 34)
        return grid_cell{x, static_cast<std::uint32_t>((std::int64_t{1} << 20) + y),
                         static_cast<std::uint32_t>((std::int64_t{1} << 20) + z)};
    }
  });
}

} // namespace evenly::spatial
