// SPDX-License-Identifier: Apache-2.0
// The tile that is open between the parts of a block, and the tile that was open at the block's start. For skeletons
// that combine atoms of tiles which blocks share.
//
//   begin    a part begins with atoms of a tile; `earlier`: it has atoms before the part
//   append   adds the part's sum of the open tile, if the tile does not end in the part
//   end      the open tile ends; `last`: the part's sum of it, `behind`: the part's sum after its last end
//   finish   once, after the last part: passes the block's open sum to other blocks and gets theirs
//
// Parts are consecutive: the tile that is open after one part continues in the next. The first tile to end in the block
// may have begun in an earlier block; every later one has all its atoms here. A back end connects the blocks:
//
//   carry_back_end   a record per block, and a tree over the records (carries.hpp), for skeletons that store a tile
//                    once
//   chain_back_end   the block waits for those before it (primitives/look_back.hpp), for skeletons that store every
//                    atom
#pragma once

#include <cstdint>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/primitives/look_back.hpp"

namespace evenly {

/// `T`: the value type. Each thread of a block has an object. All threads make the same calls, with equal arguments or
/// arguments that count at rank 0.
template <class T, class BackEnd> struct open_tile {
  BackEnd back;
  T open; ///< the sum of the parts so far, for the open tile

  template <class... Where> EVENLY_FN void begin(const Where&... where) { back.begin(where...); }
  template <class Op> EVENLY_FN void append(const Op& op, const T& more) { open = op(open, more); }
  /// Rank 0 calls store(tile, value) for a tile that is now complete.
  template <class Block, class Op, class Store>
  EVENLY_FN void end(const Block& block, const Op& op, const T& last, const T& behind, const Store& store) {
    back.end(block, op, open, last, store);
    open = behind;
  }
};

/// Keeps the block's partial sum of the first tile to end.
template <class T, class Tile> struct carry_back_end {
  using record = carry_record<T, Tile>;

  T head;        ///< of the first tile to end
  Tile first{};  ///< the number of that tile
  int state = 0; ///< as in a record
  Tile here{};   ///< the part's first tile
  bool earlier = false;

  EVENLY_FN void begin(Tile tile, bool has_earlier) {
    here = tile;
    earlier = has_earlier;
  }
  template <class Block, class Op, class Store>
  EVENLY_FN void end(const Block& block, const Op& op, const T& open, const T& last, const Store& store) {
    if (!(state & record::ends)) {
      head = op(open, last);
      first = here;
      state = record::ends | (earlier ? record::head_open : 0);
    } else if (earlier && block.rank() == 0) {
      store(here, op(open, last));
    }
  }
  /// Returns the block's record for other blocks. `open`: the block's partial sum of the tile that is open at its end.
  EVENLY_FN record left(const T& open) const { return {head, open, first, state}; }
};

/// Keeps the atoms that wait for the partial sums of earlier blocks.
template <class T, class Tile, class Atom> struct chain_back_end {
  bool ended = false;   ///< a tile has ended, or began with the block's first atom
  bool started = false; ///< there was an atom
  bool waiting = false; ///< the next atoms may belong to the tile that began in an earlier block
  bool kept = false;    ///< the prefixes of the waiting atoms are in storage, from the first element on
  Tile tile{};          ///< its atoms [first, last) have not been stored
  Atom first{};
  Atom last{};

  /// Called for the first part only. `from`: its first atom.
  EVENLY_FN void begin(Tile of, bool earlier, Atom from) {
    started = true;
    waiting = earlier;
    ended = !earlier;
    tile = of;
    first = last = from;
  }
  template <class Block, class Op, class Store>
  EVENLY_FN void end(const Block&, const Op&, const T&, const T&, const Store&) {
    ended = true;
    waiting = false;
  }

  /// Passes the block's open sum on, and returns the sum that its first atoms wait for. `handed`: an element of
  /// storage. All threads of the first `blocks` blocks of a launch call it; synchronises the block.
  template <class Block, monoid Op, class Handed>
  EVENLY_FN T finish(Block& block, const look_back<segmented<T>>& shared, int blocks, const T& open,
                     const Op& op, const Handed& handed) const {
    const segmented_monoid<Op> both{op};
    const segmented<T> mine{ended, open};
    const auto number = static_cast<std::uint32_t>(block.index());
    if constexpr (Block::is_serial) {
      const std::uint32_t stamp = shared.stamp();
      segmented<T> before = both.identity();
      if (first < last)
        before = shared.prefix(block, stamp, number, mine, both);
      else
        shared.publish(stamp, number, mine);
      retire(block, shared, blocks, stamp);
      return before.open;
    } else {
      if (warp_of(block) == 0) { // no other warp reads the stamp: it changes when all have retired
        const std::uint32_t stamp = shared.stamp();
        const T before = shared.prefix(block, stamp, number, mine, both).open;
        if (block.rank() == 0) {
          handed[0] = before;
          retire(block, shared, blocks, stamp);
        }
      }
      block.sync();
      return handed[0];
    }
  }

 private:
  /// Called by one thread. Blocks that continue with another block's work (sized_kernel.hpp) retire when none is left.
  template <class Block>
  EVENLY_FN static void retire(const Block&, const look_back<segmented<T>>& shared, int blocks,
                               std::uint32_t stamp) {
    if constexpr (!requires { Block::continues; })
      if (shared.retire(blocks)) shared.finish(stamp);
  }
};

} // namespace evenly
