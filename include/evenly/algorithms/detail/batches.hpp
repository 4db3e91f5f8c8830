// SPDX-License-Identifier: Apache-2.0
// Batches: a team processes the atoms of whole tiles, one atom per thread at a time. A segmented scan combines the
// threads, and the partial sum of the open tile carries over to the next batch.
//
// A team within a warp scans by shuffles. Wide teams scan as one block: the last thread of each team passes nothing to
// the next team, and keeps the partial sum for its own team.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/schedules/launches.hpp"

namespace evenly {

/// The combination of an atom and those before it in its tile, with and without the atom.
template <class T> struct tile_prefix {
  T with;
  T before; ///< undefined unless requested
};

/// Calls visit(has, tile, atom, ends, tile_prefix) for every batch of a batch, with `has` and `ends` as there. Without
/// an atom (`has` is false), tile, atom and prefix have no meaning. Called as batch's for_each is.
///
/// - `Before`: whether prefix.before is needed.
/// - `value_of(tile, atom)`: the value of an atom.
/// - `left_open`, for wide teams: one element per team.
/// - `warps`, for wide teams: block_scan_slots elements.
///
/// For wide teams the block is synchronised twice per batch, the last time at its end.
template <bool Before, int G, class Block, class Run, class ValueOf, monoid Op, class LeftOpen, class Warps,
          class Visit>
EVENLY_FN void for_each_prefix(Block& block, const team<G, Block>& me, const Run& run,
                               const ValueOf& value_of, const Op& op, const LeftOpen& left_open,
                               const Warps& warps, const Visit& visit) {
  using value = typename Op::value_type;
  value open = op.identity(); // partial sum of the tile that continues in the next batch
  if constexpr (Block::is_serial) {
    run.for_each([&](bool has, auto t, auto a, bool ends) {
      const value sum = op(open, value_of(t, a));
      visit(has, t, a, ends, tile_prefix<value>{sum, open});
      open = ends ? op.identity() : sum;
    });
  } else if (!me.wide()) {
    const lanes<Block> group = lanes_of(block, me);
    run.for_each([&](bool has, auto t, auto a, bool ends) {
      value sum = has ? value_of(t, a) : op.identity();
      if (group.rank() == 0) sum = op(open, sum);
      const lane_mask ended = group.ballot(ends);
      const bool starts = group.rank() > 0 && (ended >> (group.rank() - 1) & 1) != 0;
      sum = group.segmented_scan(sum, starts, op);
      tile_prefix<value> prefix{sum, open};
      if constexpr (Before) {
        const value below = group.shuffle_up(sum, 1);
        if (group.rank() > 0) prefix.before = starts ? op.identity() : below;
      }
      visit(has, t, a, ends, prefix);
      open = group.shuffle(sum, group.size() - 1);
      if (ended >> (group.size() - 1) & 1) open = op.identity();
    });
  } else {
    const bool last = me.rank() == me.size() - 1;
    run.for_each([&](bool has, auto t, auto a, bool ends) {
      value sum = has ? value_of(t, a) : op.identity();
      if (me.rank() == 0) sum = op(open, sum);
      const bool shut = ends || last;
      const segmented<value> mine_here{shut, shut ? op.identity() : sum};
      const auto scan = block_segmented_scan(block, mine_here, op, warps);
      sum = op(scan.before.open, sum);
      visit(has, t, a, ends, tile_prefix<value>{sum, me.rank() == 0 ? open : scan.before.open});
      if (last && me.index() < me.count()) left_open[me.index()] = ends ? op.identity() : sum;
      block.sync();
      if (me.rank() == 0 && me.index() < me.count()) open = left_open[me.index()];
    });
  }
}

/// A team's tile as batches. The threads of a wide team get as many batches as the block's longest tile needs.
template <class Tile, class Atom> struct tile_batches {
  team_part<Tile, Atom> part;
  std::int64_t batches;
  int rank;
  int size;

  template <class Visit> EVENLY_FN void for_each(const Visit& visit) const {
    std::int64_t left = part.has_tile ? static_cast<std::int64_t>(part.end - part.begin) - rank : 0;
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      visit(left > 0, part.tile, left > 0 ? static_cast<Atom>(part.end - left) : part.begin, left == 1);
      left = larger<std::int64_t>(left - size, 0);
    }
  }
};

/// Returns a team's tile in batches. Called as team::reduce is. `scratch`, for wide teams: block_scan_slots elements;
/// the block is then synchronised once.
template <int G, class Block, class Tile, class Atom, class Scratch>
EVENLY_FN tile_batches<Tile, Atom> batches_of(Block& block, const team<G, Block>& me,
                                              const team_part<Tile, Atom>& part, const Scratch& scratch) {
  const std::int64_t atoms = part.has_tile ? static_cast<std::int64_t>(part.end - part.begin) : 0;
  std::int64_t batches = ceil_div(atoms, static_cast<std::int64_t>(me.size()));
  if (me.wide()) batches = block_scan(block, batches, maximum<std::int64_t>{}, scratch).total;
  return {part, batches, me.rank(), me.size()};
}

} // namespace evenly
