// SPDX-License-Identifier: Apache-2.0
// Cells of space and their Morton keys (Morton 1966). Space is a cube with 2^21 cells per side. The key of a cell
// interleaves the bits of its x, y and z, from the highest down: the three bits x << 2 | y << 1 | z are the number of
// the octant at a depth. At depth d these are bits 20 - d. Cells in the order of keys are in the order of octants, at
// every depth.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::spatial {

/// Bits of a coordinate: the maximum depth of an octree.
inline constexpr int octree_levels = 21;
inline constexpr std::uint32_t octree_cells = 1u << octree_levels;

/// A cell; its coordinates are below octree_cells.
struct grid_cell {
  std::uint32_t x, y, z;
  friend EVENLY_FN constexpr bool operator==(const grid_cell& a, const grid_cell& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};

} // namespace evenly::spatial

namespace evenly::detail {

/// Moves bit i of the 21 lowest bits to bit 3 i.
EVENLY_FN constexpr std::uint64_t spread_bits(std::uint64_t v) {
  v &= 0x1FFFFF;
  v = (v | v << 32) & 0x1F00000000FFFF;
  v = (v | v << 16) & 0x1F0000FF0000FF;
  v = (v | v << 8) & 0x100F00F00F00F00F;
  v = (v | v << 4) & 0x10C30C30C30C30C3;
  return (v | v << 2) & 0x1249249249249249;
}
/// Moves bit 3 i to bit i.
EVENLY_FN constexpr std::uint32_t gather_bits(std::uint64_t v) {
  v &= 0x1249249249249249;
  v = (v | v >> 2) & 0x10C30C30C30C30C3;
  v = (v | v >> 4) & 0x100F00F00F00F00F;
  v = (v | v >> 8) & 0x1F0000FF0000FF;
  v = (v | v >> 16) & 0x1F00000000FFFF;
  return static_cast<std::uint32_t>((v | v >> 32) & 0x1FFFFF);
}

} // namespace evenly::detail

namespace evenly::spatial {

EVENLY_FN constexpr std::uint64_t morton_key(const grid_cell& c) {
  return detail::spread_bits(c.x) << 2 | detail::spread_bits(c.y) << 1 | detail::spread_bits(c.z);
}
EVENLY_FN constexpr grid_cell cell_of_key(std::uint64_t key) {
  return {detail::gather_bits(key >> 2), detail::gather_bits(key >> 1), detail::gather_bits(key)};
}
/// The child, 0 to 7, of an octant of `depth` that contains the cell, 0 <= depth < octree_levels.
EVENLY_FN constexpr int octant_of_key(std::uint64_t key, int depth) {
  return static_cast<int>(key >> (3 * (octree_levels - 1 - depth)) & 7);
}

} // namespace evenly::spatial
