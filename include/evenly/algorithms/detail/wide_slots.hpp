// SPDX-License-Identifier: Apache-2.0
// Storage of reduce_tiles_wide (reduce_wide_consumer.hpp), for the forms of sharing of a schedule.
#pragma once

#include <cstddef>

#include "evenly/algorithms/detail/rows.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/launches.hpp"

namespace evenly {

/// An atom of a batch, as its threads pass it to strands.
template <class Tile, class Atom> struct batched_atom {
  Tile tile;
  Atom atom;
  bool has;
  bool ends;
};

namespace detail {

template <class Form> inline constexpr bool is_blocked = sharing::blocked_items<Form> > 0;
/// Whether the block's strands share runs of atoms.
template <class Form> inline constexpr bool strands_share = sharing::cuts<Form> && !is_blocked<Form>;
template <bool Cut> inline constexpr bool strands_share<sharing::run<Cut>> = true;

} // namespace detail

/// The slots. `Entry`: the fetched data of an atom, for all atoms of a chunk if Staged.
template <class Row, class Tile, class Atom, class Entry, bool Staged> struct wide_slots {
  static constexpr bool stages = Staged;
  static constexpr int max_items = 16;            ///< of a thread's registers, on their way to storage
  static constexpr std::size_t max_bytes = 32768; ///< of a block's entries; larger ones are not staged

  strand_slots<Row> strands;
  slot<Row> head;   ///< of the first tile to end in a run
  slot<Tile> tiles; ///< of the first and of the last atom of a run
  slot<batched_atom<Tile, Atom>> batch;
  slot<team_part<Tile, Atom>> left; ///< tiles of teams with too few threads for a strand, one per thread
  slot<int> places;                 ///< of a chunk's strands, and the chunk's end
  slot<Row> firsts;    ///< per thread: of its strand's first tile to end, if other strands have atoms of it
  slot<Row> lasts;     ///< per thread: of the tile that is open at its strand's end
  slot<Entry> entries; ///< of a chunk's atoms

  template <class... Forms>
  EVENLY_FN static constexpr wide_slots lay_out(storage_layout& layout, block_shape shape) {
    constexpr bool runs = (detail::strands_share<Forms> || ...), chunks = (detail::is_blocked<Forms> || ...);
    constexpr bool scans = !(detail::is_blocked<Forms> && ...);
    return {strand_slots<Row>::lay_out(layout, shape, scans),
            layout.take<Row>(runs ? smaller(shape.warp, row_shape::max_lanes) : 0),
            layout.take<Tile>(runs ? 2 : 0),
            layout.take<batched_atom<Tile, Atom>>((detail::is_batch<Forms> || ...) ? shape.size : 0),
            layout.take<team_part<Tile, Atom>>((detail::is_team<Forms> || ...) ? shape.size : 0),
            layout.take<int>(chunks ? shape.size + 1 : 0),
            layout.take<Row>(chunks ? shape.size : 0),
            layout.take<Row>(chunks ? shape.size : 0),
            layout.take<Entry>(entries_of((sharing::blocked_items<Forms> + ... + 0), shape))};
  }
  EVENLY_FN constexpr bool has_entries() const { return Staged && entries.count > 0; }

 private:
  EVENLY_FN static constexpr int entries_of(int items, block_shape shape) {
    const int all = items * shape.size;
    return Staged && items <= max_items && all * sizeof(Entry) <= max_bytes ? all : 0;
  }
};

} // namespace evenly
