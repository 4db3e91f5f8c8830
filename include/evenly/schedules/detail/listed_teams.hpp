// SPDX-License-Identifier: Apache-2.0
// Tiles of a list, in groups of one size, and pieces of a table, for schedules that sort tiles. They are also mappings
// of their own, for a launch of one kind of tiles.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/schedules/detail/pieces.hpp"
#include "evenly/schedules/detail/team_rounds.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Hands the tiles list[0], ... list[count - 1] to the block's groups of G. All threads call.
template <int G, class Block, tile_set Tiles, class Consumer>
EVENLY_FN void hand_out_listed(Block& block, const Tiles& tiles, const tile_type<Tiles>* list,
                               tile_type<Tiles> count, Consumer& consumer) {
  using part_type = team_part<tile_type<Tiles>, atom_type<Tiles>>;
  for_each_team(team<G, Block>(block), count + 0, [&](bool has, auto i) {
    const tile_type<Tiles> t = counted_load(list + (has ? i : 0));
    const part_type part{true, t, tiles.begin(t), tiles.end(t)};
    consumer(sharing::team<G>{}, has ? part : part_type{false, 0, 0, 0});
  });
}

/// Block b has tiles_per_block tiles of a list, from list[b * tiles_per_block] on.
template <tile_set Tiles, int G> struct listed_teams {
  using sharings = sharing::list<sharing::team<G>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  struct slots {};
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  const tile* list;
  tile count;
  tile tiles_per_block;

  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    const auto first = static_cast<tile>(block.index() * static_cast<std::int64_t>(tiles_per_block));
    hand_out_listed<G>(block, tiles, list + first, smaller<tile>(tiles_per_block, count - first), consumer);
  }
};

/// One block per piece.
template <tile_set Tiles> struct listed_pieces {
  using sharings = sharing::list<sharing::piece>;
  using tiles_type = Tiles;
  struct slots {};
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  piece_table<Tiles> pieces;

  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    consumer(sharing::piece{}, pieces.part(tiles, block.index()));
  }
};

} // namespace evenly
