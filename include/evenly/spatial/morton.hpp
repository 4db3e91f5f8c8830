// SPDX-License-Identifier: Apache-2.0
// Cells of space and their Morton keys. Space is a cube of 2^21 cells a side; the key of a cell has the bits of its x,
// y and z in turns, the highest first, so that three bits, x << 2 | y << 1 | z, say the octant at each depth: at depth
// d those of bit 20 - d. Cells in the order of their keys are in the order of octants, at every depth (Morton 1966).
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// Bits of a coordinate: no octant is split more often.
inline constexpr int octree_levels = 21;
inline constexpr std::uint32_t octree_cells = 1u << octree_levels;

/// A cell: coordinates below octree_cells.
struct grid_cell {
  std::uint32_t x, y, z;
  friend EVENLY_FN constexpr bool operator==(const grid_cell& a, const grid_cell& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};

namespace detail {

/// Bit i of the 21 lowest becomes bit 3 i.
EVENLY_FN constexpr std::uint64_t spread_bits(std::uint64_t v) {
  v &= 0x1FFFFF;
  v = (v | v << 32) & 0x1F00000000FFFF;
  v = (v | v << 16) & 0x1F0000FF0000FF;
  v = (v | v << 8) & 0x100F00F00F00F00F;
  v = (v | v << 4) & 0x10C30C30C30C30C3;
  return (v | v << 2) & 0x1249249249249249;
}
/// Bit 3 i becomes bit i.
EVENLY_FN constexpr std::uint32_t gather_bits(std::uint64_t v) {
  v &= 0x1249249249249249;
  v = (v | v >> 2) & 0x10C30C30C30C30C3;
  v = (v | v >> 4) & 0x100F00F00F00F00F;
  v = (v | v >> 8) & 0x1F0000FF0000FF;
  v = (v | v >> 16) & 0x1F00000000FFFF;
  return static_cast<std::uint32_t>((v | v >> 32) & 0x1FFFFF);
}

} // namespace detail

EVENLY_FN constexpr std::uint64_t morton_key(const grid_cell& c) {
  return detail::spread_bits(c.x) << 2 | detail::spread_bits(c.y) << 1 | detail::spread_bits(c.z);
}
EVENLY_FN constexpr grid_cell cell_of_key(std::uint64_t key) {
  return {detail::gather_bits(key >> 2), detail::gather_bits(key >> 1), detail::gather_bits(key)};
}
/// 0 to 7: the octant of an octant of `depth`, 0 <= depth < octree_levels, in which the cell is.
EVENLY_FN constexpr int octant_of_key(std::uint64_t key, int depth) {
  return static_cast<int>(key >> (3 * (octree_levels - 1 - depth)) & 7);
}

} // namespace evenly
