// SPDX-License-Identifier: Apache-2.0
// binned: tiles are sorted by size into bins, one per power of two, and every bin gets groups of a fitting size.
//
// Source: Green, Fox, Watkins, Tripathy et al., "Logarithmic radix binning and vectorized triangle counting" (HPEC
// 2018); Fox, Tripathy & Green, "Improving scheduling for irregular applications with logarithmic radix binning" (HPEC
// 2019).
//
// All tiles of a bin have nearly the same size, so no team waits long for another. A tile of up to 4 atoms is
// processed by one thread. Tiles of up to 8, 16, 32 and 64 atoms have 2, 4, 8 and 16 threads, tiles of up to 1024 atoms
// a warp of 32, longer tiles a block. Giant tiles are cut into pieces for many blocks. There is one launch, the largest
// tiles first: blocks find their bin in a small table. Within a bin the order of tiles is kept. On cpu a bin determines
// the number of tiles per block.
//
// For N tiles and W atoms, and P pieces of giants:
//   work                O(N) to sort, O(N + W) in a run
//   parallel complexity O(32 + log P)
//   threads             one for every 1 to 4 atoms of tiles of up to 128, for every 4 to 32 of longer ones; one for
//                       every 16 empty tiles
//   offsets coalesced   no: in a bin only as far as its tiles are consecutive; the tiles' numbers, yes
//   atoms coalesced     in runs of a group's size; in pieces entirely
//   extra memory        a number per tile, 8 bytes per piece; while sorting two bytes and a number per tile more, and
//                       the sort's memory
// Limits: the tiles of a bin are not consecutive, so accesses to offsets, atoms and results of small tiles are not
// coalesced. Each tile takes one more read, of its number. The plan takes a sort.
// Wins when sizes are mixed at random and the plan is kept for many runs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/order_by_key.hpp"
#include "evenly/schedules/detail/pieces.hpp"
#include "evenly/schedules/detail/team_rounds.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// Tiles of a list, in groups of one size, and pieces of a table, for schedules that sort tiles. They are also mappings
// of their own, for a launch of one kind of tiles.

namespace evenly {

/// Distributes the tiles list[0], ... list[count - 1] to the block's groups of G. All threads call.
template <int G, class Block, tile_set Tiles, class Consumer>
EVENLY_FN void distribute_listed(Block& block, const Tiles& tiles, const tile_type<Tiles>* list,
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
    distribute_listed<G>(block, tiles, list + first, smaller<tile>(tiles_per_block, count - first), consumer);
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

// ---------------------------------------------------------------------------------------------------------------------
// binned: see the head of this file.

/// Bin 0 has the empty tiles, bin 1 those of one atom, bin k those of more than 2^(k - 2) and at most 2^(k - 1) atoms.
struct size_bins {
  static constexpr int count = 65;

  EVENLY_FN static int of(std::int64_t size) {
    return static_cast<int>(size <= 1 ? size : last_lane(static_cast<lane_mask>(size - 1)) + 2);
  }
  /// All tiles of the bin have more than above(bin) and at most most(bin) atoms. Requires bin >= 1; for max_atoms_of
  /// bin <= 63.
  static constexpr std::int64_t above(int bin) { return bin == 1 ? 0 : std::int64_t{1} << (bin - 2); }
  static constexpr std::int64_t max_atoms_of(int bin) { return std::int64_t{1} << (bin - 1); }

  /// Rounds of a group for the largest tile of a bin: the maximum number of atoms that a thread reads, while groups can
  /// grow.
  static constexpr int atoms_per_thread = 4;
  static constexpr int max_group = 32;
  /// A tile that takes a group of 32 more rounds than this goes to a block.
  static constexpr int max_rounds = 32;
  /// Returns the group for tiles of a bin that are not giants; whole_block for the largest.
  static constexpr int group_for(int bin) {
    const std::int64_t max_atoms = max_atoms_of(bin);
    if (max_atoms > max_rounds * max_group) return whole_block;
    return static_cast<int>(
        larger<std::int64_t>(1, smaller<std::int64_t>(max_atoms / atoms_per_thread, max_group)));
  }
};

/// Consecutive bins with the same treatment: the tiles order[first], ... order[last - 1], from block first_block on.
template <class Tile> struct bin_of_blocks {
  static constexpr int no_team = -1; ///< as group: the tiles are empty

  int first_block = 0;
  int group = no_team; ///< threads per tile; whole_block: all of the block
  Tile first = 0;
  Tile last = 0;
  Tile tiles_per_block = 1;
};

/// The tiles of bin k are order[starts[k]], ... order[starts[k + 1] - 1]. Tiles from bin `giants` on are cut into
/// pieces.
template <class Tile> struct bin_starts {
  std::array<Tile, size_bins::count + 1> starts{};
  int giants = 1;
  std::int64_t piece = 1; ///< atoms
};

/// Blocks [0, pieces.count) have a piece each; the blocks of bins[0], bins[1] ... follow.
template <tile_set Tiles, int MostBins> struct binned_mapping {
  using sharings =
      sharing::list<sharing::piece, sharing::team<1>, sharing::team<2>, sharing::team<4>, sharing::team<8>,
                    sharing::team<16>, sharing::team<32>, sharing::team<whole_block>>;
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using bin = bin_of_blocks<tile>;
  using known_to_host = bin_starts<tile>;
  struct slots {};
  static constexpr int tuned_block_size = default_block_size;

  Tiles tiles;
  piece_table<Tiles> pieces;
  const tile* order;
  int bin_count;
  bin bins[MostBins];

  EVENLY_FN static constexpr slots lay_out(storage_layout&, block_shape) { return {}; }
  EVENLY_FN int cutting_blocks(int) const { return pieces.count; }

  template <class Block, class Consumer>
  EVENLY_FN void distribute(Block& block, const slots&, Consumer& consumer) const {
    if (block.index() < pieces.count) {
      consumer(sharing::piece{}, pieces.part(tiles, block.index()));
      return;
    }
    int b = 0;
    while (b + 1 < bin_count && bins[b + 1].first_block <= block.index()) ++b;
    const int group = bins[b].group;
    if (group == bin::no_team) {
      if constexpr (Consumer::wants_empty_tiles) empty_tiles(block, bins[b], consumer);
    } else if constexpr (Block::is_serial) {
      groups<1>(block, bins[b], consumer);
    } else {
      switch (group) {
      case 1:
        return groups<1>(block, bins[b], consumer);
      case 2:
        return groups<2>(block, bins[b], consumer);
      case 4:
        return groups<4>(block, bins[b], consumer);
      case 8:
        return groups<8>(block, bins[b], consumer);
      case 16:
        return groups<16>(block, bins[b], consumer);
      case 32:
        return groups<32>(block, bins[b], consumer);
      default:
        return groups<whole_block>(block, bins[b], consumer);
      }
    }
  }

 private:
  /// The block's part of its bin: tiles order[first], ... order[first + count - 1].
  struct bin_range {
    tile first;
    tile count;
  };
  template <class Block> EVENLY_FN static bin_range range_of(const Block& block, const bin& mine) {
    const auto before = static_cast<std::int64_t>(block.index() - mine.first_block) * mine.tiles_per_block;
    const auto first = static_cast<tile>(mine.first + before);
    return {first, smaller<tile>(mine.tiles_per_block, mine.last - first)};
  }

  template <int G, class Block, class Consumer>
  EVENLY_FN void groups(Block& block, const bin& mine, Consumer& consumer) const {
    const bin_range here = range_of(block, mine);
    distribute_listed<G>(block, tiles, order + here.first, here.count, consumer);
  }

  template <class Block, class Consumer>
  EVENLY_FN void empty_tiles(Block& block, const bin& mine, Consumer& consumer) const {
    const bin_range here = range_of(block, mine);
    for_strided<std::int64_t>(here.first, static_cast<std::int64_t>(here.first) + here.count, block.rank(),
                              block.size(), [&](std::int64_t i) {
                                const tile t = counted_load(order + i);
                                consumer(sharing::team<1>{}, empty_tile(t, tiles.begin(t)));
                              });
  }
};

namespace detail {

template <tile_set Tiles> struct bin_of_tile {
  Tiles tiles;
  EVENLY_FN int operator()(std::int64_t t) const {
    const auto here = static_cast<tile_type<Tiles>>(t);
    return size_bins::of(tiles.end(here) - tiles.begin(here));
  }
};

} // namespace detail

/// The schedule. See the head of this file.
struct binned {
  /// Atoms of a giant's piece per thread of its block. Tiles of bins that begin above a piece are giants.
  static constexpr int piece_per_thread = 16;
  /// Empty tiles per thread.
  static constexpr int empty_per_thread = 16;

  int block_size = default_block_size;

  template <class Visit> void parameters(Visit visit) const { visit("block_size", block_size); }

  template <class Executor, tile_set Tiles>
  auto prepare(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) const {
    // On a GPU bins with the same group are merged, which leaves 8 groups; on cpu each bin is separate.
    using mapping = binned_mapping<Tiles, Executor::serial_blocks ? size_bins::count : 9>;
    using tile = tile_type<Tiles>;
    const std::int64_t n = tiles.tiles();
    auto order = make_buffer<tile>(exec, static_cast<std::size_t>(n));
    const auto starts =
        order_by_key<size_bins::count>(exec, n, detail::bin_of_tile<Tiles>{tiles}, order.data());

    const std::int64_t piece =
        items_per_block(exec, all.atoms, static_cast<std::int64_t>(block_size) * piece_per_thread);
    int giants = 1;
    while (giants < size_bins::count && size_bins::above(giants) < piece) ++giants;
    const std::int64_t before_giants = starts[static_cast<std::size_t>(giants)];
    auto [pieces, places] =
        cut_into_pieces(exec, tiles, order.data() + before_giants, n - before_giants, piece);

    mapping made{tiles, pieces, order.data(), 0, {}};
    std::int64_t blocks = pieces.count;
    const auto add = [&](int group, int first_bin, int last_bin, std::int64_t tiles_per_block) {
      const std::int64_t first = starts[static_cast<std::size_t>(first_bin)];
      const std::int64_t last = starts[static_cast<std::size_t>(last_bin)];
      if (first == last) return;
      tiles_per_block = smaller(tiles_per_block, last - first);
      made.bins[made.bin_count++] = {static_cast<int>(blocks), group, static_cast<tile>(first),
                                     static_cast<tile>(last), static_cast<tile>(tiles_per_block)};
      blocks = block_count(blocks + ceil_div(last - first, tiles_per_block), 1);
    };
    for (int last = giants, bin = giants - 1; bin >= 1; --bin) {
      const int group = size_bins::group_for(bin);
      if constexpr (!Executor::serial_blocks) {
        if (bin > 1 && size_bins::group_for(bin - 1) == group) continue;
      }
      add(group, bin, last, tiles_of_a_block(exec, bin, piece));
      last = bin;
    }
    add(mapping::bin::no_team, 0, 1,
        items_per_block(exec, starts[1], static_cast<std::int64_t>(block_size) * empty_per_thread));
    launch_of<mapping> each{made, {static_cast<int>(blocks), block_size}};
    each.host.giants = giants;
    each.host.piece = piece;
    for (std::size_t bin = 0; bin < starts.size(); ++bin)
      each.host.starts[bin] = static_cast<tile>(starts[bin]);
    return prepared(each, std::move(order), std::move(places));
  }

 private:
  template <class Executor>
  std::int64_t tiles_of_a_block(const Executor&, int bin, std::int64_t piece) const {
    if constexpr (Executor::serial_blocks)
      return larger<std::int64_t>(1, piece / size_bins::max_atoms_of(bin));
    else
      return team_count(size_bins::group_for(bin), {block_size, 1});
  }
};

/// Launches the same tiles and pieces bin by bin, the largest tiles first. Calls visit(launch, most) for each nonempty
/// bin, whose tiles or pieces have at most `max` atoms. choose(group, max) gets the group that suits such tiles, and
/// returns the {group, block_size} of the launch.
template <class Executor, tile_set Tiles, int MostBins, class Choose, class Visit>
void for_each_bin(const Executor&, const launch_of<binned_mapping<Tiles, MostBins>>& each,
                  const Choose& choose, const Visit& visit) {
  const auto& all = each.mapping;
  const auto& starts = each.host.starts;
  if (all.pieces.count > 0) {
    const launch_of<listed_pieces<Tiles>> pieces{{all.tiles, all.pieces},
                                                 {all.pieces.count, each.shape.block_size}};
    visit(pieces, all.pieces.atoms_per_piece);
  }
  const auto visit_groups = [&]<int G>(std::integral_constant<int, G>, int bin, std::int64_t max,
                                       std::int64_t rounds, int block_size) {
    using tile = tile_type<Tiles>;
    const auto at = static_cast<std::size_t>(bin);
    const auto count = static_cast<tile>(starts[at + 1] - starts[at]);
    const std::int64_t teams = Executor::serial_blocks ? 1 : team_count(G, {block_size, 1});
    const auto per_block = static_cast<tile>(smaller<std::int64_t>(count, teams * rounds));
    const launch_of<listed_teams<Tiles, G>> groups{{all.tiles, all.order + starts[at], count, per_block},
                                                   {block_count(count, per_block), block_size}};
    visit(groups, max);
  };
  for (int bin = each.host.giants - 1; bin >= 0; --bin) {
    if (starts[static_cast<std::size_t>(bin)] == starts[static_cast<std::size_t>(bin) + 1]) continue;
    const std::int64_t max = bin == 0 ? 0 : size_bins::max_atoms_of(bin);
    const auto shape = choose(bin == 0 ? 1 : size_bins::group_for(bin), max);
    // On cpu a block gets as many tiles as fit a piece, elsewhere one tile per team; of empty tiles more.
    std::int64_t rounds = bin == 0 ? binned::empty_per_thread : 1;
    if constexpr (Executor::serial_blocks)
      rounds = larger<std::int64_t>(1, each.host.piece / larger<std::int64_t>(max, 1));
    const auto with = [&](auto group) { visit_groups(group, bin, max, rounds, shape.block_size); };
    if constexpr (Executor::serial_blocks) {
      with(std::integral_constant<int, 1>{});
    } else {
      switch (shape.group) {
      case 1:
        with(std::integral_constant<int, 1>{});
        break;
      case 2:
        with(std::integral_constant<int, 2>{});
        break;
      case 4:
        with(std::integral_constant<int, 4>{});
        break;
      case 8:
        with(std::integral_constant<int, 8>{});
        break;
      case 16:
        with(std::integral_constant<int, 16>{});
        break;
      case 32:
        with(std::integral_constant<int, 32>{});
        break;
      default:
        with(std::integral_constant<int, whole_block>{});
      }
    }
  }
}

} // namespace evenly
