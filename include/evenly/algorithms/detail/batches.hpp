// SPDX-License-Identifier: Apache-2.0
// Batches: a team goes through the atoms of whole tiles, an atom for each thread at a time; a segmented scan joins the
// threads, and what is open goes to the next batch.
//
// A team within a warp scans by shuffles. Wide teams scan as one block: the last thread of each lets nothing through to
// the next team, and keeps what is open for its own.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/schedules/sharing.hpp"

namespace evenly {

/// What an atom and those before it in its tile combine to, with and without the atom.
template <class T> struct tile_prefix {
  T with;
  T before; ///< undefined unless asked for
};

/// Calls visit(has, tile, atom, ends, tile_prefix) for every batch of a batch, with has, ends as there; without an
/// atom (has is false) tile, atom and prefix mean nothing. Before: whether prefix.before is wanted. value_of(tile,
/// atom): an atom's value. Called as batch's for_each is. If the team is wide, `left_open` has an element for each
/// team, `warps` block_scan_slots, and the block is synchronised twice for each batch, the last time at its end.
template <bool Before, int G, class Block, class Run, class ValueOf, monoid Op, class LeftOpen, class Warps,
          class Visit>
EVENLY_FN void for_each_prefix(Block& block, const team<G, Block>& me, const Run& run,
                               const ValueOf& value_of, const Op& op, const LeftOpen& left_open,
                               const Warps& warps, const Visit& visit) {
  using value = typename Op::value_type;
  value open = op.identity(); // of the tile that goes on in the next batch
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

/// The tile of a team as a batch; for the threads of a wide team as many batches as the block's longest tile takes.
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

/// A team's tile in batches. Called as team::reduce is. `scratch`: block_scan_slots elements if the team is wide; the
/// block is synchronised once then.
template <int G, class Block, class Tile, class Atom, class Scratch>
EVENLY_FN tile_batches<Tile, Atom> batches_of(Block& block, const team<G, Block>& me,
                                              const team_part<Tile, Atom>& part, const Scratch& scratch) {
  const std::int64_t atoms = part.has_tile ? static_cast<std::int64_t>(part.end - part.begin) : 0;
  std::int64_t batches = ceil_div(atoms, static_cast<std::int64_t>(me.size()));
  if (me.wide()) batches = block_scan(block, batches, maximum<std::int64_t>{}, scratch).total;
  return {part, batches, me.rank(), me.size()};
}

} // namespace evenly
