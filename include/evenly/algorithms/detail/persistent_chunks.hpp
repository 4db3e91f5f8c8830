// SPDX-License-Identifier: Apache-2.0
// Persistent blocks that take chunks in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/atom_values.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// The kernel of resident blocks that draw chunks (schedules/chunks.hpp): segmented reduction and scan at the speed of
// memory.
//
// A turn of a block is up to four consecutive chunks. Marks in storage identify atoms that begin a tile. They are set
// from the offsets of the turn's tiles, read together while the values are in flight. Values are scanned in rows
// (primitives/look_back.hpp), restarting at each mark. The open sum at the end goes to later turns
// (look_back.hpp). The open sum from earlier turns is added, when it arrives, to the atoms before the first mark.
// Then prefixes are stored, atom by atom, or each tile's sum, from the place of its last atom.

namespace evenly {

/// What the kernel stores: the sum of a tile, or the prefix of an atom, with or without the atom.
enum class chunk_results { sums, inclusive, exclusive };

/// Consecutive atoms of a lane in a row, at most 16 bytes; 0 for values that the kernel does not support.
template <class T>
inline constexpr int chunk_width = sizeof(T) == 8                                       ? 2
                                   : sizeof(T) == 4 || sizeof(T) == 2 || sizeof(T) == 1 ? 4
                                                                                        : 0;

inline constexpr int chunk_rows = 4; ///< rows of a lane's atoms in a turn

template <chunk_results Kind, int ChunkItems, tile_set Tiles, class Map, monoid Op, class Store>
struct persistent_chunks {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = typename Op::value_type;
  using chain = segmented_monoid<Op>;
  using sum = segmented<value>;

  static constexpr int width = chunk_width<value>; ///< also the number of chunks in a turn
  static constexpr int rows = chunk_rows;
  static constexpr int items = rows * width;
  static constexpr int parked = 2; ///< turns that wait for the open sum before them
  static constexpr int ahead = 1;  ///< tiles per thread that are read before their turn
  static constexpr int tuned_block_size = 512;
  static constexpr int min_blocks = 2, max_blocks = min_blocks;
  static constexpr bool is_copyable = is_device_copyable<Map, Op, Store>;
  using part = row_part<value, width>;
  using count_type = std::make_unsigned_t<tile>; ///< counts tiles
  /// Whether the map reads rows of atoms in one access, where they are aligned for it.
  static constexpr bool has_rows = requires(const Map& m, atom a) { m.template row<width>(a); };
  using marks = row_part<std::uint8_t, items>;

  chunk_table<Tiles> chunks;
  atom_values<Tiles, Map, value> values;
  Op op;
  Store store;
  bool in_rows;
  look_back<sum> turns;

  static constexpr bool of_tiles = Kind == chunk_results::sums;

  struct slots {
    persistent_slots<sum> pass;
    slot<value> atoms;      ///< of turns, each combined with the earlier atoms of its tile and turn
    slot<marks> begins;     ///< which atoms begin a tile; each thread reads its own marks
    slot<int> first;        ///< prefixes, of parked turns: the first atom that begins a tile
    slot<value> head;       ///< sums, of parked turns: the turn's sum of the tile that began earlier
    slot<tile> heads;       ///< sums: the number of that tile; negative: none. For the first thread
    slot<tile> found_tiles; ///< the tiles of the next turn's first atom and of the first atom after it
  };
  EVENLY_FN static constexpr slots lay_out(storage_layout& layout, block_shape shape) {
    return {persistent_slots<sum>::lay_out(layout, shape),
            layout.take<value>((of_tiles ? 1 : parked + 1) * items * shape.size),
            layout.take<marks>(shape.size),
            layout.take<int>(of_tiles ? 0 : parked + 1),
            layout.take<value>(of_tiles ? parked + 1 : 0),
            layout.take<tile>(of_tiles ? parked + 1 : 0),
            layout.take<tile>(2)};
  }

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots place = lay_out(layout, block.shape());
    worker<Block> work(*this, block, place);
    persistent_pass<parked>(block, place.pass, turns, chain{op}, work);
  }

  /// Stores the empty tiles if there are no atoms.
  template <class Block> EVENLY_FN void store_empty_tiles(const Block& block) const {
    if constexpr (of_tiles) {
      const std::int64_t stride = static_cast<std::int64_t>(block.count()) * block.size();
      const std::int64_t first = static_cast<std::int64_t>(block.index()) * block.size() + block.rank();
      for (std::int64_t t = first; t < chunks.tiles().tiles(); t += stride)
        store(static_cast<tile>(t), op.identity());
    }
  }

  /// Chunks per turn.
  static constexpr int chunks_of_turn = items / ChunkItems;
  static_assert(items % ChunkItems == 0, "a turn must consist of whole chunks");

 private:
  template <class Block> struct worker {
    const persistent_chunks& work;
    Block& block;
    slots place;
    value mine[items];
    tile first{}, last{}; ///< of the loaded turn: the tiles of its first atom and of the first atom after it
    atom begin{};         ///< its first atom
    int marked[ahead] = {};    ///< of tiles first + rank + i * size(): their begins in the turn; -1: none
    int ended[ahead] = {};     ///< their last atoms in the turn; -1: no atoms, or the end is outside
    int ended_now[ahead] = {}; ///< the same for the scanned turn
    bool head_now = false; ///< whether its first tile began earlier and ends in it; valid in the first thread
    tile first_now{}, last_now{};
    atom begin_now{};
    tile prefetched_first{}, prefetched_last{};
    int first_mark = 0; ///< the lane's first atom that begins a tile; or `items`
    sum before_lane{};  ///< the warp's sum before the lane
    int ring_now = 0;   ///< the turn's place in storage

    EVENLY_FN worker(const persistent_chunks& k, Block& b, const slots& p) : work(k), block(b), place(p) {
      block.storage(place.begins)[block.rank()] = marks{};
    }

    EVENLY_INLINE_FN int size() const { return items * block.size(); }
    EVENLY_INLINE_FN std::int64_t chunk_of(std::uint32_t t) const { return std::int64_t{t} * chunks_of_turn; }
    EVENLY_INLINE_FN atom first_atom(std::uint32_t t) const { return work.chunks.begin(chunk_of(t)); }
    EVENLY_INLINE_FN bool is_last(std::uint32_t t) const { return t + 1 == work.turns.chunks; }
    /// The place of the lane's part of row r in the turn.
    EVENLY_INLINE_FN int place_of(const lanes<Block>& warp, int r) const {
      return (block.rank() - warp.rank()) * items + (r * warp.size() + warp.rank()) * width;
    }

    EVENLY_INLINE_FN void prefetch(std::uint32_t t) {
      prefetched_first = work.chunks.tile_at(chunk_of(t));
      prefetched_last = work.chunks.tile_at(smaller(chunk_of(t) + chunks_of_turn, work.chunks.count()));
    }
    EVENLY_INLINE_FN void store_prefetched() {
      const auto found_tiles = block.storage(place.found_tiles);
      found_tiles[0] = prefetched_first;
      found_tiles[1] = prefetched_last;
    }

    EVENLY_INLINE_FN void load(std::uint32_t t) {
      const lanes<Block> warp = this_warp(block);
      const auto found_tiles = block.storage(place.found_tiles);
      first = found_tiles[0];
      last = found_tiles[1];
      begin = first_atom(t);
      const int here = atoms_of(t, begin);
      if (here == size() && in_rows()) {
        EVENLY_UNROLL
        for (int r = 0; r < rows; ++r) {
          const part p = row_of(static_cast<atom>(begin + place_of(warp, r)));
          EVENLY_UNROLL
          for (int j = 0; j < width; ++j) mine[r * width + j] = p.of[j];
        }
      } else if (here == size()) {
        EVENLY_UNROLL
        for (int i = 0; i < items; ++i)
          mine[i] = work.values.map(static_cast<atom>(begin + place_of(warp, i / width) + i % width));
      } else {
        EVENLY_UNROLL
        for (int i = 0; i < items; ++i) {
          const int at = place_of(warp, i / width) + i % width;
          mine[i] = work.op.identity();
          if (at < here) mine[i] = work.values.map(static_cast<atom>(begin + at));
        }
      }
      look_at_tiles(first, static_cast<count_type>(last - first) + 1, begin, here, 0, marked, ended);
    }

    /// Whether the map returns the values of these consecutive atoms in one access (values_of.hpp).
    EVENLY_INLINE_FN bool in_rows() const { return has_rows && work.in_rows; }
    EVENLY_INLINE_FN part row_of(atom from) const {
      if constexpr (has_rows)
        return work.values.map.template row<width>(from);
      else
        return {};
    }
    EVENLY_INLINE_FN int atoms_of(std::uint32_t t, atom turn_begin) const {
      return static_cast<int>(first_atom(t + 1) - turn_begin);
    }

    /// Returns where the `count` tiles from + (base + i) * block.size() + rank begin and end in the turn. The turn
    /// begins at `turn_begin` and has `here` atoms. -1: outside the turn, or empty.
    EVENLY_INLINE_FN void look_at_tiles(tile from, count_type count, atom turn_begin, int here,
                                        count_type base, int (&begins)[ahead], int (&ends)[ahead]) const {
      const Tiles& tiles = work.chunks.tiles();
      atom tile_begin[ahead], tile_end[ahead];
      EVENLY_UNROLL
      for (int i = 0; i < ahead; ++i) {
        const auto t = static_cast<tile>(from + static_cast<tile>(smaller(number(base, i), count - 1)));
        tile_begin[i] = tiles.begin(t);
        tile_end[i] = tiles.end(t);
      }
      EVENLY_UNROLL
      for (int i = 0; i < ahead; ++i) {
        using distance = std::make_unsigned_t<atom>; // a place before the turn wraps to a large number
        const auto first_place = static_cast<distance>(tile_begin[i] - turn_begin);
        const auto last_place = static_cast<distance>(tile_end[i] - 1 - turn_begin);
        const bool some = tile_begin[i] != tile_end[i] && number(base, i) < count;
        begins[i] = some && first_place < static_cast<distance>(here) ? static_cast<int>(first_place) : -1;
        ends[i] = some && last_place < static_cast<distance>(here) ? static_cast<int>(last_place) : -1;
      }
    }
    EVENLY_INLINE_FN count_type number(count_type base, int i) const {
      return base + static_cast<count_type>(i * block.size() + block.rank());
    }

    EVENLY_INLINE_FN count_type next_base(count_type base) const {
      return base + static_cast<count_type>(ahead * block.size());
    }

    EVENLY_INLINE_FN void set_marks(const int (&where)[ahead]) const {
      const auto begins = block.storage(slot<std::uint8_t>{place.begins.offset, place.begins.count * items});
      EVENLY_UNROLL
      for (int i = 0; i < ahead; ++i)
        if (where[i] >= 0) begins[where[i]] = 1;
    }

    EVENLY_INLINE_FN sum scan(std::uint32_t t) {
      set_marks(marked);
      const auto count = static_cast<count_type>(last - first) + 1;
      const int here = atoms_of(t, begin);
      for (count_type base = next_base(0); base < count; base = next_base(base)) {
        int more_marked[ahead], more_ended[ahead];
        look_at_tiles(first, count, begin, here, base, more_marked, more_ended);
        set_marks(more_marked);
      }
      block.sync();
      first_now = first;
      last_now = last;
      begin_now = begin;
      EVENLY_UNROLL
      for (int i = 0; i < ahead; ++i) ended_now[i] = ended[i];
      head_now = block.rank() == 0 && marked[0] < 0 && ended[0] >= 0;
      exchange();
      return scan_lane();
    }

    /// The place of an atom of a turn in storage. Parts of `width` atoms are swapped, so that neither a warp's row nor
    /// a lane's consecutive atoms cause bank conflicts.
    EVENLY_INLINE_FN int spread(int at) const { return at ^ ((at / (8 * width) & 3) * width); }
    EVENLY_INLINE_FN slot<part> parts(int ring) const {
      const int of_turn = size() / width;
      return {place.atoms.offset +
                  static_cast<std::uint32_t>(ring * size() * static_cast<int>(sizeof(value))),
              static_cast<std::uint32_t>(of_turn)};
    }

    /// Writes the lane's atoms to a turn's storage: each row to place_of_row(row).
    template <class Memory, class Place>
    EVENLY_INLINE_FN void put(const Memory& memory, const Place& place_of_row) const {
      EVENLY_UNROLL
      for (int r = 0; r < rows; ++r) {
        part p;
        EVENLY_UNROLL
        for (int j = 0; j < width; ++j) p.of[j] = mine[r * width + j];
        memory[spread(place_of_row(r)) / width] = p;
      }
    }
    /// Converts from rows, as loaded, to consecutive atoms per lane.
    EVENLY_INLINE_FN void exchange() {
      const lanes<Block> warp = this_warp(block);
      const auto memory = block.storage(parts(ring_now));
      put(memory, [&](int r) { return place_of(warp, r); });
      warp.sync();
      EVENLY_UNROLL
      for (int r = 0; r < rows; ++r) {
        const part p = memory[spread(block.rank() * items + r * width) / width];
        EVENLY_UNROLL
        for (int j = 0; j < width; ++j) mine[r * width + j] = p.of[j];
      }
    }

    /// Scans the lane's atoms, and the lanes of the warp.
    EVENLY_INLINE_FN sum scan_lane() {
      const lanes<Block> warp = this_warp(block);
      const Op& combine = work.op;
      const auto begins = block.storage(place.begins);
      const marks mark = begins[block.rank()];
      begins[block.rank()] = marks{};
      first_mark = items;
      value open = combine.identity();
      EVENLY_UNROLL
      for (int j = 0; j < items; ++j) {
        if (mark.of[j]) {
          open = combine.identity();
          first_mark = smaller(first_mark, j);
        }
        const value next = mark.of[j] || j == 0 ? mine[j] : combine(open, mine[j]);
        mine[j] = Kind == chunk_results::exclusive ? open : next;
        open = next;
      }
      const bool any = first_mark < items;
      const lane_mask marked_lanes = warp.ballot(any);
      const value upto = warp.segmented_scan(open, any, combine);
      const value lower = warp.shuffle_up(upto, 1);
      before_lane = {(marked_lanes & first_lanes(warp.rank())) != 0,
                     warp.rank() == 0 ? combine.identity() : lower};
      return {marked_lanes != 0, warp.shuffle(upto, warp.size() - 1)};
    }

    /// Adds the block's sum before the lane to the atoms before its first mark, and writes all atoms to storage.
    EVENLY_INLINE_FN void park(const sum& before_warp, int ring) {
      const sum before = chain{work.op}(before_warp, before_lane);
      EVENLY_UNROLL
      for (int j = 0; j < items; ++j)
        if (j < first_mark) mine[j] = work.op(before.open, mine[j]);
      put(block.storage(parts(ring_now)), [&](int r) { return block.rank() * items + r * width; });
      if constexpr (!of_tiles) {
        const auto first_marks = block.storage(place.first);
        const bool any = first_mark < items;
        if (before.ends == 0 && (any || block.rank() == block.size() - 1))
          first_marks[ring] = block.rank() * items + first_mark;
        ring_now = ring_now == parked ? 0 : ring_now + 1;
      }
    }

    /// Stores the tiles that end in the turn, except the one that began earlier.
    EVENLY_INLINE_FN void emit(std::uint32_t t, int ring)
    requires of_tiles
    {
      const auto count = static_cast<count_type>(last_now - first_now) + is_last(t);
      emit_some(count, ring, 0, ended_now);
      for (count_type base = next_base(0); base < count; base = next_base(base)) {
        int more_marked[ahead], more_ended[ahead];
        look_at_tiles(first_now, count, begin_now, atoms_of(t, begin_now), base, more_marked, more_ended);
        emit_some(count, ring, base, more_ended);
      }
      // Empty tiles before the first atom and after the last atom of all.
      if (t == 0)
        for (std::int64_t i = block.rank(); i < first_now; i += block.size())
          work.store(static_cast<tile>(i), work.op.identity());
      if (is_last(t))
        for (std::int64_t i = std::int64_t{last_now} + 1 + block.rank(); i < work.chunks.tiles().tiles();
             i += block.size())
          work.store(static_cast<tile>(i), work.op.identity());
    }

    EVENLY_INLINE_FN void emit_some(count_type count, int ring, count_type base,
                                    const int (&ends)[ahead]) const {
      const auto atoms = block.storage(place.atoms);
      EVENLY_UNROLL
      for (int i = 0; i < ahead; ++i) {
        const count_type k = number(base, i);
        value own = work.op.identity();
        if (ends[i] >= 0) own = atoms[spread(ends[i])];
        const auto each = static_cast<tile>(first_now + static_cast<tile>(k));
        const bool is_deferred = head_now && base == 0 && i == 0;
        if (k < count && !is_deferred) work.store(each, own);
        if (base == 0 && i == 0 && block.rank() == 0) {
          block.storage(place.head)[ring] = own;
          block.storage(place.heads)[ring] = is_deferred ? each : tile{-1};
        }
      }
    }

    EVENLY_INLINE_FN void finish(std::uint32_t t, int ring, const sum& before) {
      if constexpr (of_tiles) {
        if (block.rank() != 0) return;
        const tile head = block.storage(place.heads)[ring];
        if (head >= 0)
          work.store(head, work.op(before.open, static_cast<value>(block.storage(place.head)[ring])));
      } else {
        const auto atoms = block.storage(place.atoms);
        const auto first_marks = block.storage(place.first);
        const int anew = first_marks[ring];
        const atom turn_begin = first_atom(t);
        const auto here = static_cast<int>(first_atom(t + 1) - turn_begin);
        // If the block size is a multiple of the pattern of spread(), the pattern is the same in all steps of a thread.
        const bool even = block.size() % (32 * width) == 0;
        const int where = ring * size() + spread(block.rank());
        EVENLY_UNROLL
        for (int i = 0; i < items; ++i) {
          const int at = block.rank() + i * block.size();
          value each = atoms[even ? where + i * block.size() : ring * size() + spread(at)];
          if (at < anew) each = work.op(before.open, each);
          if (at < here) work.store(static_cast<atom>(turn_begin + at), each);
        }
      }
    }
  };
};

// ---------------------------------------------------------------------------------------------------------------------
// Runs a plan's launch by resident blocks that draw chunks (schedules/chunks.hpp), if possible.

/// Whether resident blocks can run a launch: its mapping offers chunks, values need no tile, and values are small.
template <class Executor, class Mapping, class Values>
inline constexpr bool can_draw_chunks = chunked_mapping<Mapping> && !Executor::serial_blocks &&
                                        Values::by_atom && chunk_width<typename Values::value> > 0;

/// Returns the turns of a launch by resident blocks with `chunks` chunks.
template <class Kernel> EVENLY_FN constexpr std::int64_t turns_of(std::int64_t chunks) {
  return ceil_div<std::int64_t>(chunks, Kernel::chunks_of_turn);
}

/// Returns the memory that plan.reserve takes for values of type Value, if resident blocks can run the launch.
template <class Value, class Mapping> workspace::sizes memory_for_chunks(const launch_of<Mapping>& each) {
  if constexpr (chunked_mapping<Mapping> && chunk_width<Value> > 0) {
    constexpr int chunks_of_turn = chunk_rows * chunk_width<Value> / Mapping::chunk_items;
    // The launch has one block per chunk.
    const std::int64_t turns = ceil_div(larger(each.shape.blocks, each.max_blocks), chunks_of_turn);
    return {.kept = look_back<segmented<Value>>::bytes(turns)};
  } else {
    return {};
  }
}

/// The kernel of resident blocks for tile sets sized on the device (skeleton.hpp).
template <class Kernel, class Mapping> struct sized_persistent_chunks {
  static constexpr int tuned_block_size = Kernel::tuned_block_size;
  static constexpr int min_blocks = Kernel::min_blocks;
  static constexpr bool is_copyable = Kernel::is_copyable;

  Kernel kernel;
  Mapping mapping;
  capacity max_size;

  EVENLY_FN static constexpr auto lay_out(storage_layout& layout, block_shape shape) {
    return Kernel::lay_out(layout, shape);
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const auto here = mapping.sized(max_size, block.shape());
    Kernel sized = kernel;
    sized.chunks = here.mapping.chunks();
    sized.turns.chunks = static_cast<std::uint32_t>(turns_of<Kernel>(sized.chunks.count()));
    if constexpr (Kernel::has_rows)
      sized.in_rows = kernel.in_rows && sized.chunks.begin(0) % Kernel::width == 0;
    if (sized.turns.chunks > 0)
      sized(block);
    else if (here.blocks > 0)
      sized.store_empty_tiles(block);
  }
};

/// Runs a launch by resident blocks, if a block has enough storage for its block size. Returns whether it did.
template <chunk_results Kind, class Executor, class Mapping, class Map, class Op, class Store>
bool draw_chunks(const Executor& exec, const launch_of<Mapping>& each, const Map& map, const Op& op,
                 const Store& store, workspace::lease& memory) {
  using tiles = typename Mapping::tiles_type;
  using kernel = persistent_chunks<Kind, Mapping::chunk_items, tiles, Map, Op, Store>;
  const chunk_table<tiles> chunks = each.mapping.chunks();
  bool in_rows = false;
  if constexpr (kernel::has_rows) in_rows = map.template has_rows<kernel::width>(chunks.begin(0));
  kernel all{chunks, {chunks.tiles(), map}, op, store, in_rows, {}};
  const int block_size = each.shape.block_size;
  if (chunks.count() == 0 || storage_bytes(all, exec.shape_of(block_size)) > exec.max_storage()) return false;
  const std::int64_t turns = turns_of<kernel>(chunks.count());
  const std::int64_t max = turns_of<kernel>(larger<std::int64_t>(chunks.count(), each.max_blocks));
  all.turns = look_back<typename kernel::sum>::in(exec, memory, turns, max);
  if constexpr (sized_on_device<tiles>)
    launch_persistent(exec, sized_persistent_chunks<kernel, Mapping>{all, each.mapping, each.max_size}, turns,
                      block_size);
  else
    launch_persistent(exec, all, turns, block_size);
  return true;
}

} // namespace evenly
