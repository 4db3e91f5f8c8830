// SPDX-License-Identifier: Apache-2.0
// The tile that is open between the parts of a block, and what becomes of the tile that the block found open: for
// skeletons that combine atoms of tiles which blocks share.
//
//   begin    a part begins with atoms of a tile; `earlier`: atoms of it came before the part
//   append   what the part has of the tile that is open, if it does not end there
//   end      the tile that is open ends; `last`: what the part has of it, `behind`: what it has after its last end
//   finish   once, after the last part: tells other blocks what the block has open, and gets what they have told
//
// Parts follow each other: what is open after one is the beginning of what comes. The first tile to end in the block
// may have begun in an earlier block; every later one has all its atoms here. What tells blocks of each other is a back
// end:
//
//   carry_back_end   a record for each block, and a tree over them (carries.hpp): whoever stores a tile once
//   chain_back_end   the block waits for those before it (primitives/look_back.hpp): whoever stores every atom
#pragma once

#include <cstdint>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/primitives/look_back.hpp"

namespace evenly {

/// `T`: the values. Made by each thread of a block; all threads call the same, with what threads hold alike, or what
/// counts at rank 0.
template <class T, class BackEnd> struct open_tile {
  BackEnd back;
  T open; ///< what the parts so far have of the tile that is open

  template <class... Where> EVENLY_FN void begin(const Where&... where) { back.begin(where...); }
  template <class Op> EVENLY_FN void append(const Op& op, const T& more) { open = op(open, more); }
  /// store(tile, value) is called, by rank 0, for a tile that is whole now.
  template <class Block, class Op, class Store>
  EVENLY_FN void end(const Block& block, const Op& op, const T& last, const T& behind, const Store& store) {
    back.end(block, op, open, last, store);
    open = behind;
  }
};

/// Keeps, of the first tile to end, what the block has of it.
template <class T, class Tile> struct carry_back_end {
  using record = carry_record<T, Tile>;

  T head;        ///< of the first tile to end
  Tile first{};  ///< which it is
  int state = 0; ///< as of a record
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
  /// What the block hands to others, `open` being what it has of the tile that is open at its end.
  EVENLY_FN record left(const T& open) const { return {head, open, first, state}; }
};

/// Keeps which atoms wait for what earlier blocks have of their tile.
template <class T, class Tile, class Atom> struct chain_back_end {
  bool ended = false;   ///< a tile has ended, or began with the block's first atom
  bool started = false; ///< there was an atom
  bool waiting = false; ///< the next atoms may belong to the tile that began in an earlier block
  bool kept = false;    ///< the prefixes of those that wait are in storage, from the first element on
  Tile tile{};          ///< of which the atoms [first, last) have not been stored
  Atom first{};
  Atom last{};

  /// Called with the first part only. `from`: its first atom.
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

  /// Hands on what the block has open, and returns what its first atoms wait for. `handed`: an element of storage.
  /// Called by all threads of the first `blocks` blocks of a launch; synchronises the block.
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
      if (warp_of(block) == 0) { // nobody else reads the stamp: it changes when all have retired
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
  /// By one thread. Blocks that go on to another block's work (sized_kernel.hpp) retire when there is none left.
  template <class Block>
  EVENLY_FN static void retire(const Block&, const look_back<segmented<T>>& shared, int blocks,
                               std::uint32_t stamp) {
    if constexpr (!requires { Block::continues; })
      if (shared.retire(blocks)) shared.finish(stamp);
  }
};

} // namespace evenly
