// SPDX-License-Identifier: Apache-2.0
// Tile sets of many blocks, in addition to the adversarial ones that are public
// (evenly/algorithms/detail/law_instances.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evenly/algorithms/detail/law_instances.hpp"

namespace evenly::laws {

/// For blocks of `chunk` items each: more than 256 and more than 2,048 of them, which leave tiles to each other through
/// one and two levels of carries, and through a launch of its own.
inline std::vector<named_tiles> tile_sets_of_many_blocks(std::int64_t chunk) {
  const std::int64_t group = 256 * chunk; // the blocks whose carries are put together first
  const auto exactly = [&](std::int64_t blocks) {
    return tile_sizes().add(blocks * chunk - 1).named("one tile over " + std::to_string(blocks) + " blocks");
  };
  return {
      exactly(256),
      exactly(257),
      exactly(600),
      exactly(2048),
      exactly(2049),
      exactly(2600),
      tile_sizes()
          .add(5)
          .add(2 * group + 3)
          .add(0)
          .add(3 * group)
          .add(chunk, 1)
          .add(group / 2)
          .named("giants over groups of blocks, in one launch"),
      tile_sizes()
          .add(chunk, 1)
          .add(5 * group + 3)
          .add(9, 0)
          .add(3 * group - 7)
          .add(2, 3)
          .add(group)
          .named("giants over groups of blocks, joined later"),
      tile_sizes().add(4, group - 1).named("tiles end with every group of blocks"),
      tile_sizes().add(4, group).named("tiles end with every group of blocks of atoms"),
      tile_sizes().add(9, group - 1).named("tiles end with every group of blocks, joined later"),
      tile_sizes().add(300, chunk + 1).named("every block ends a tile of the one before"),
      tile_sizes().add(2100, chunk + 1).named("every block ends a tile of the one before, joined later"),
      tile_sizes().add(power_law(group / 4, 2 * group, 3)).named("power law over many blocks", 5),
      tile_sizes()
          .add(2 * group, 0)
          .add(2 * group)
          .add(group, 0)
          .add(1)
          .named("empty tiles over groups of blocks"),
  };
}

/// Every second set, from set `first` on (0 or 1). Where many block shapes meet many sets, half of the shapes suffice
/// for each set.
inline std::vector<named_tiles> every_second(const std::vector<named_tiles>& sets, std::size_t first) {
  std::vector<named_tiles> taken;
  for (std::size_t i = first; i < sets.size(); i += 2) taken.push_back(sets[i]);
  return taken;
}

} // namespace evenly::laws
