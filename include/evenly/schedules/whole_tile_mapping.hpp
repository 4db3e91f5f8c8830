// SPDX-License-Identifier: Apache-2.0
// whole_tile_mapping: a base for mappings of your own that give each tile whole to one thread.
#pragma once

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// All members of a mapping except distribute, which calls consumer(sharing::team<1>{}, this->whole(t)) once for each
/// tile t, by one thread of the launch.
template <tile_set Tiles> struct whole_tile_mapping {
  using sharings = sharing::list<sharing::team<1>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  struct slots {}; // no shared memory
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;

  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }
  /// Tile t as a part for one thread.
  EVENLY_FN team_part<tile, atom_type<Tiles>> whole(tile t) const {
    return {true, t, tiles.begin(t), tiles.end(t)};
  }
};

} // namespace evenly
