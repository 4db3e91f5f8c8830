// SPDX-License-Identifier: Apache-2.0
// group_per_tile<G>: G threads take a tile and stride over its atoms together ("virtual warps").
//
// Source: Hong, Kim, Oguntebi & Olukotun, "Accelerating CUDA graph algorithms at maximum warp" (PPoPP 2011).
//
// warp_mapped is G = 32, block_mapped the whole block (both as in Osama et al., PPoPP 2023), thread_mapped (its own
// header) G = 1.
//
// For N tiles and W atoms, of which the longest tile has M:
//   work                O(W)
//   parallel complexity O(M / G)
//   threads             N G
//   offsets coalesced   yes; the threads of a group read the same two
//   atoms coalesced     in runs of G
//   extra memory        none; nothing to prepare. No barrier of the block while a group fits into a warp
// Limits: non-coalesced accesses between groups, warp divergence, and the overhead of blocks with few atoms if G is too
// large. A tile's last round wastes threads if its size is not a multiple of G. One long tile keeps its team busy after
// all others have finished. G must be chosen.
// Wins when most sizes are near G, or a small multiple of it.
#pragma once

#include <cstdint>

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/schedules/detail/team_rounds.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Block b has the tiles [b * tiles_per_block, (b + 1) * tiles_per_block), which its teams take in turn.
template <tile_set Tiles, int G> struct team_mapping {
  using sharings = sharing::list<sharing::team<G>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  struct slots {};
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  tile tiles_per_block;
  sharing::team<G> form;

  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }
  EVENLY_FN sized_mapping<team_mapping> sized(const capacity& max_size, block_shape) const {
    return {*this,
            static_cast<int>(ceil_div<std::int64_t>(sizes_within(tiles, max_size).tiles, tiles_per_block))};
  }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    const tile first = static_cast<tile>(block.index() * static_cast<std::int64_t>(tiles_per_block));
    // Counted from the first, so that no number is formed that a tile cannot have.
    const auto here = static_cast<tile>(smaller<tile>(tiles_per_block, tiles.tiles() - first));
    // One call, with or without a tile: threads of one warp must not wait at barriers in two places.
    for_each_team(team_of(block, form), here + 0, [&](bool has, auto i) {
      part_type part{has, 0, 0, 0};
      if (has) {
        const auto t = static_cast<tile>(first + i);
        part = {true, t, tiles.begin(t), tiles.end(t)};
      }
      consumer(form, part);
    });
  }

 private:
  using part_type = team_part<tile, atom_type<Tiles>>;
};

namespace detail {

template <class Executor, tile_set Tiles, int G>
auto prepare_teams(const Executor& exec, const Tiles& tiles, int block_size, int teams,
                   sharing::team<G> form) {
  const auto per_block = static_cast<tile_type<Tiles>>(items_per_block(exec, max_tiles(tiles), teams));
  return prepared(launch_of<team_mapping<Tiles, G>>{{tiles, per_block, form},
                                                    {block_count(max_tiles(tiles), per_block), block_size}});
}

} // namespace detail

/// `G`: 1 to 1024, a power of two; or whole_block. group_per_tile<any_size> takes any number at run time.
template <int G = any_size> struct group_per_tile {
  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("group", G == whole_block ? block_size : G);
  }

  /// On serial blocks this is group_per_tile<1>.
  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>&) const {
    constexpr int group = Executor::serial_blocks ? 1 : G;
    return detail::prepare_teams(exec, tiles, block_size, team_count(G, {block_size, 1}),
                                 sharing::team<group>{});
  }
};

/// The schedule with a group size given at run time.
template <> struct group_per_tile<any_size> {
  int block_size = default_block_size;
  int group = 32; ///< threads per tile; in smaller blocks, all of the block

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("g", group);
  }

  /// Throws invalid_argument if a group has fewer than 1 or more than 1024 threads. On serial blocks this is
  /// group_per_tile<1>.
  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    require_group(group);
    if constexpr (Executor::serial_blocks) {
      return group_per_tile<1>{block_size}.prepare(exec, tiles, all);
    } else {
      const int teams = group_layout::of(group_size(group), exec.shape_of(block_size)).count;
      return detail::prepare_teams(exec, tiles, block_size, teams,
                                   sharing::team<any_size>{group_size(group)});
    }
  }
};
group_per_tile() -> group_per_tile<any_size>;

/// A warp per tile, for the usual warp of 32 threads.
using warp_mapped = group_per_tile<32>;
/// A block per tile.
using block_mapped = group_per_tile<whole_block>;

} // namespace evenly
