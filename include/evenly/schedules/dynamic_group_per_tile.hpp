// SPDX-License-Identifier: Apache-2.0
// dynamic_group_per_tile: group_per_tile with a group size that the plan chooses, and long tiles cut into pieces for
// whole blocks.
//
// Source: the "dynamic virtual warps + dynamic parallelism" of Busato & Bombieri, "BFS-4K: an efficient implementation
// of BFS for Kepler GPU architectures" (TPDS 2015) and "A dynamic approach for workload partitioning on GPU
// architectures" (TPDS 2017), section 2.3.1. There a group with a tile above the threshold DynTH starts a kernel for
// it. Here the plan lists such tiles, and blocks for their pieces come first in the single launch, so that the longest
// work starts first. docs/decisions/0006 compares this with starting work on the device.
//
// For N tiles and W atoms, groups of G, and P pieces:
//   work                O(W)
//   parallel complexity O(DynTH / G + piece / block + log P)
//   threads             N G + P block
//   offsets coalesced   yes; the threads of a group read the same two
//   atoms coalesced     in runs of G; in pieces entirely
//   extra memory        8 bytes per piece; a byte per tile while planning
// Limits: as in group_per_tile, non-coalesced accesses between groups, warp divergence up to the threshold, and blocks
// that start and end for few atoms if tiles are short. Carries combine tiles in pieces.
// Wins when most tiles are alike and a few are much longer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/primitives/select.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/detail/pieces.hpp"
#include "evenly/schedules/detail/team_rounds.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Blocks [0, pieces.count) have a piece each. Block pieces.count + b has the tiles [b * tiles_per_block, (b + 1) *
/// tiles_per_block); its groups take those that are not long.
template <tile_set Tiles> struct dynamic_group_mapping {
  using sharings = sharing::list<sharing::piece, sharing::team<1>, sharing::team<2>, sharing::team<4>,
                                 sharing::team<8>, sharing::team<16>, sharing::team<32>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  struct slots {};
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  piece_table<Tiles> pieces;
  tile tiles_per_block;
  atom long_tile;
  int group;

  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }
  EVENLY_FN int cutting_blocks(int) const { return pieces.count; }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    if (block.index() < pieces.count) {
      consumer(sharing::piece{}, pieces.part(tiles, block.index()));
    } else if constexpr (Block::is_serial) {
      groups<1>(block, consumer);
    } else {
      switch (group) {
      case 2:
        return groups<2>(block, consumer);
      case 4:
        return groups<4>(block, consumer);
      case 8:
        return groups<8>(block, consumer);
      case 16:
        return groups<16>(block, consumer);
      default:
        return groups<32>(block, consumer);
      }
    }
  }

 private:
  template <int G, class Block, class Consumer>
  EVENLY_FN void groups(Block& block, Consumer& consumer) const {
    const std::int64_t b = block.index() - pieces.count;
    const tile first = static_cast<tile>(b * tiles_per_block);
    const tile here = smaller<tile>(tiles_per_block, tiles.tiles() - first);
    const team<G, Block> me(block);
    for_each_team(me, here + 0, [&](bool has, auto i) {
      const tile t = static_cast<tile>(first + (has ? i : 0));
      const atom begin = tiles.begin(t);
      const atom end = tiles.end(t);
      if (has && end - begin <= long_tile)
        consumer(sharing::team<G>{}, team_part<tile, atom>{true, t, begin, end});
      else if (me.wide())
        consumer(sharing::team<G>{}, team_part<tile, atom>{false, 0, 0, 0});
    });
  }
};

namespace detail {

template <tile_set Tiles> struct is_long {
  Tiles tiles;
  std::int64_t long_tile;
  EVENLY_FN bool operator()(std::int64_t t) const {
    const auto here = static_cast<tile_type<Tiles>>(t);
    return tiles.end(here) - tiles.begin(here) > long_tile;
  }
};

struct is_flagged {
  const unsigned char* flags;
  EVENLY_FN bool operator()(std::int64_t i) const { return flags[i] != 0; }
};

/// Writes the long tiles to `list`, ascending, and returns their number. Synchronises. It needs a byte per tile
/// temporarily, for a selection that is compiled once instead of once per tile set.
template <class Executor, tile_set Tiles>
std::int64_t list_long_tiles(const Executor& exec, const is_long<Tiles>& rule, tile_type<Tiles>* list) {
  const std::int64_t n = rule.tiles.tiles();
  const auto flags = make_buffer<unsigned char>(exec, static_cast<std::size_t>(n));
  tabulate(exec, n, rule, flags.data());
  return select(exec, counting(), n, is_flagged{flags.data()}, list);
}

} // namespace detail

/// The schedule. See the head of this file.
struct dynamic_group_per_tile {
  /// Rounds of a group for a tile of average size. On an H200 groups of 2 to 4 are fastest if all tiles have 8 atoms,
  /// of 4 if they have 27, of 16 to 32 if the average is 96.
  static constexpr int atoms_per_thread = 4;
  /// Groups of 1 read atoms without coalescing and are excluded; groups are at most a warp.
  static constexpr int min_group = 2;
  static constexpr int max_group = 32;
  /// A tile is long if it takes a group more rounds than this: within 6% of the best of eight thresholds on seven
  /// workloads (docs/decisions/0006).
  static constexpr int max_rounds = 32;
  /// Atoms of a piece per thread of its block.
  static constexpr int piece_per_thread = 16;

  int block_size = default_block_size;
  /// Tiles of more atoms are cut into pieces (DynTH). 0: the value from the constants above, for the chosen group.
  std::int64_t long_tile = 0;

  template <class Visit> void parameters(Visit visit) const {
    visit("block_size", block_size);
    visit("long_tile", long_tile);
  }

  /// Returns the group for `tiles` tiles with `atoms` atoms in all.
  static constexpr int group_for(std::int64_t tiles, std::int64_t atoms) {
    const std::int64_t wanted = tiles == 0 ? 0 : atoms / tiles / atoms_per_thread;
    return floor_power_of_two(
        static_cast<int>(larger<std::int64_t>(min_group, smaller<std::int64_t>(wanted, max_group))));
  }

  /// Tiles of more atoms than this go to blocks instead of a group.
  template <class Executor>
  std::int64_t threshold(const Executor& exec, std::int64_t tiles, std::int64_t atoms) const {
    if (long_tile > 0) return long_tile;
    if constexpr (Executor::serial_blocks) return piece(exec, atoms);
    return max_rounds * group_for(tiles, atoms);
  }
  template <class Executor> std::int64_t piece(const Executor& exec, std::int64_t atoms) const {
    return items_per_block(exec, atoms, static_cast<std::int64_t>(block_size) * piece_per_thread);
  }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    using mapping = dynamic_group_mapping<Tiles>;
    using tile = tile_type<Tiles>;
    using atom = atom_type<Tiles>;
    require(long_tile >= 0,
            [&] { return detail::concat("long_tile = ", long_tile, ": must not be negative"); });
    const std::int64_t n = tiles.tiles();
    const std::int64_t max =
        smaller<std::int64_t>(threshold(exec, n, all.atoms), std::numeric_limits<atom>::max() - 1);
    const int group = group_for(n, all.atoms);

    // No more tiles than this can be long.
    const auto list = make_buffer<tile>(exec, static_cast<std::size_t>(smaller(n, all.atoms / (max + 1))));
    const std::int64_t found =
        list.size() == 0 ? 0 : detail::list_long_tiles<Executor, Tiles>(exec, {tiles, max}, list.data());
    auto [pieces, places] = cut_into_pieces(exec, tiles, list.data(), found, piece(exec, all.atoms));

    const auto per_block = static_cast<tile>(items_per_block(exec, n, team_count(group, {block_size, 1})));
    const int blocks = block_count(pieces.count + ceil_div<std::int64_t>(n, per_block), 1);
    return prepared(
        launch_of<mapping>{{tiles, pieces, per_block, static_cast<atom>(max), group}, {blocks, block_size}},
        std::move(places));
  }
};

} // namespace evenly
