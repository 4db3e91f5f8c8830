// SPDX-License-Identifier: Apache-2.0
// The values of atoms on their way to a tile's result: how they are computed, staged, and combined by a thread.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/primitives/detail/serial.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// Batches: a team processes the atoms of whole tiles, one atom per thread at a time. A segmented scan combines the
// threads, and the partial sum of the open tile carries over to the next batch.
//
// A team within a warp scans by shuffles. Wide teams scan as one block: the last thread of each team passes nothing to
// the next team, and keeps the partial sum for its own team.

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

// ---------------------------------------------------------------------------------------------------------------------
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

  /// Passes the block's open sum on, and returns the sum that its first atoms wait for. `carry_in`: an element of
  /// storage. All threads of the first `blocks` blocks of a launch call it; synchronises the block.
  template <class Block, monoid Op, class CarryIn>
  EVENLY_FN T finish(Block& block, const look_back<segmented<T>>& shared, int blocks, const T& open,
                     const Op& op, const CarryIn& carry_in) const {
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
          carry_in[0] = before;
          retire(block, shared, blocks, stamp);
        }
      }
      block.sync();
      return carry_in[0];
    }
  }

 private:
  /// Called by one thread. Blocks that continue with another block's work (skeleton.hpp) retire when none is left.
  template <class Block>
  EVENLY_FN static void retire(const Block&, const look_back<segmented<T>>& shared, int blocks,
                               std::uint32_t stamp) {
    if constexpr (!requires { Block::continues; })
      if (shared.retire(blocks)) shared.finish(stamp);
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Staging: the atoms of a run are evaluated in coalesced order and written to storage, from where each thread reads
// consecutive ones. This is common to all skeletons that combine values. Next to the values, storage holds the tile
// ends: a mark per atom, or each atom's tile.

/// Elements that a form of sharing needs of the first three slots.
struct staging_counts {
  int values = 0;
  int ends = 0;
  int tiles = 0;

  EVENLY_FN constexpr staging_counts operator|(const staging_counts& other) const {
    return {larger(values, other.values), larger(ends, other.ends), larger(tiles, other.tiles)};
  }
};

/// The marks of a thread's Items consecutive atoms: a byte each, 1 if a tile ends with the atom. A row is cleared and
/// read as a whole.
template <int Items, int Bytes = larger(4, static_cast<int>(std::bit_ceil(static_cast<unsigned>(Items))))>
struct alignas(smaller(Bytes, 16)) mark_row {
  static constexpr int bytes = Bytes;
  std::uint32_t fours[bytes / 4]; ///< in the byte order of GPUs: little-endian

  /// Bit i: the mark of atom i. The product collects the lowest bits of four bytes in its highest byte.
  EVENLY_INLINE_FN unsigned bits() const {
    static_assert(std::endian::native == std::endian::little);
    unsigned all = 0;
    EVENLY_UNROLL
    for (int i = 0; i < bytes / 4; ++i) all |= (fours[i] * 0x10204080u) >> 28 << 4 * i;
    return all;
  }
  /// The place of the mark of a block's atom k in its rows.
  EVENLY_FN static constexpr int place(int k) {
    const auto row = static_cast<int>(static_cast<unsigned>(k) / Items);
    return k + row * (bytes - Items);
  }
};

template <class T, class Tile> struct staging_slots {
  slot<T> values;              ///< of atoms; the skeleton later overwrites them
  slot<unsigned char> ends;    ///< blocked_run: a mark_row per thread
  slot<Tile> tiles;            ///< striped_run: an atom's tile
  tile_of_atoms_slots tile_of; ///< blocked_run, for functions of (tile, atom)

  /// Items of a striped_run that are staged at a time. They fit the largest block for values of 16 bytes.
  EVENLY_FN static constexpr int staged_items(int items) {
    constexpr int max_bytes_of_thread = 128;
    const int passes = ceil_div(items * static_cast<int>(sizeof(T) + sizeof(Tile)), max_bytes_of_thread);
    return ceil_div(items, passes);
  }

  template <int Items>
  EVENLY_FN static constexpr staging_counts needs(sharing::blocked_run<Items>, block_shape shape) {
    return {shape.size * Items, shape.size * mark_row<Items>::bytes, 0};
  }
  template <int Items>
  EVENLY_FN static constexpr staging_counts needs(sharing::striped_run<Items>, block_shape shape) {
    return {shape.size * staged_items(Items), 0, shape.size * staged_items(Items)};
  }

  /// `chunk_items`: those of a blocked_run, if functions need the tiles of its atoms; else 0.
  EVENLY_FN static constexpr staging_slots lay_out(storage_layout& layout, block_shape shape,
                                                   const staging_counts& max, int chunk_items) {
    // The tiles of atoms are no longer needed when the atoms' values are written, so they share memory.
    const auto start = layout.mark();
    const auto tile_of = tile_of_atoms_slots::lay_out(layout, shape, chunk_items);
    layout.rewind(start);
    const auto values = layout.take<T>(max.values);
    layout.skip_to_max();
    return {values, layout.take<unsigned char>(max.ends), layout.take<Tile>(max.tiles), tile_of};
  }
};

/// Writes the atoms of runs to storage. `Values`: atom_values. All threads of the block call.
template <class Values, class Block> struct staging {
  using tile = typename Values::tile;
  using atom = typename Values::atom;
  using value = typename Values::value;
  using tiles_type = typename Values::tiles_type;
  using slots_type = staging_slots<value, tile>;

  const Values& from;
  Block& block;
  const slots_type& slots;

  /// Writes to slots.values the values of the chunk's atoms, then `rest`, and to slots.ends the marks of its tile ends.
  /// - `last_atom[i]`: receives the place, in the chunk, of the last atom of the chunk's tile rank + i * size; -1: none
  ///   here.
  /// - Returns, at rank 0 and if a tile ends in the chunk, whether the first one has atoms before the chunk.
  /// - Synchronises the block, also at its end.
  template <int Items>
  EVENLY_FN bool chunk(const run_chunk<tiles_type>& chunk, const value& rest, int (&last_atom)[Items]) const {
    const auto values = block.storage(slots.values);
    const auto ends = block.storage(slots.ends);
    const int atoms = static_cast<int>(chunk.last_atom - chunk.first_atom);
    const int tiles = static_cast<int>(chunk.last_tile - chunk.first_tile);
    if constexpr (!Values::by_atom) find_tile_of_atoms<Items>(block, chunk, slots.tile_of);
    rows<Items>()[block.rank()] = mark_row<Items>{};
    // No condition and no store separates the loads, so that all of them are in flight together. Past the end the last
    // atom and the last tile are read again, unless the function needs each atom exactly once. Dependent loads come
    // last.
    [[maybe_unused]] fetched<Items> early[Items];
    if constexpr (fetches<Items>) {
      if (atoms > 0) {
        EVENLY_UNROLL
        for (int i = 0; i < Items; ++i)
          early[i] = from.fetch(
              static_cast<atom>(chunk.first_atom + smaller(block.rank() + i * block.size(), atoms - 1)));
      }
    }
    ends_read<Items> read;
    read_ends(chunk, tiles, read);
    value x[Items];
    if constexpr (Values::each_once) {
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        x[i] = k < atoms ? of_chunk(chunk, k) : rest;
      }
    } else if (atoms > 0) {
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        if constexpr (fetches<Items>)
          x[i] = from.of_fetched(early[i]);
        else
          x[i] = of_chunk(chunk, smaller(block.rank() + i * block.size(), atoms - 1));
      }
    }
    find_last_atoms(chunk, tiles, read, last_atom);
    block.sync();
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int k = block.rank() + i * block.size();
      values[k] = k < atoms ? x[i] : rest;
    }
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i * block.size() >= tiles) break;
      if (block.rank() + i * block.size() < tiles && last_atom[i] >= 0)
        ends[mark_row<Items>::place(last_atom[i])] = 1;
    }
    block.sync();
    return read.begin < chunk.first_atom;
  }

  /// After chunk(): bit i is set if a tile ends with the calling thread's atom i of Items consecutive ones.
  template <int Items> EVENLY_FN unsigned ended() const {
    const mark_row<Items> mine = rows<Items>()[block.rank()];
    return mine.bits();
  }

  /// Writes to slots.values the values of a striped_run's `atoms` atoms from number `first` on, then `rest`, and their
  /// tiles to slots.tiles. Requires 0 < atoms <= Items * size. Synchronises the block at its end.
  template <int Items, class Run>
  EVENLY_FN void run(const Run& run, int first, int atoms, const value& rest) const {
    const auto values = block.storage(slots.values);
    const auto tiles = block.storage(slots.tiles);
    const atom first_atom = static_cast<atom>(run.first_atom + first);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int k = block.rank() + i * block.size();
      if (k >= atoms) values[k] = rest;
    }
    const auto is_here = [&](int k) { return k >= first && k < first + atoms; };
    if constexpr (Values::by_atom) { // all loads are in flight together, before tiles are searched
      value x[Items];
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i)
        x[i] = from.of_streaming(
            static_cast<atom>(first_atom + smaller(block.rank() + i * block.size(), atoms - 1)));
      run.for_each([&](int k, tile t) {
        if (is_here(k)) tiles[k - first] = t;
      });
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k < atoms) values[k] = x[i];
      }
    } else {
      run.for_each([&](int k, tile t) {
        if (!is_here(k)) return;
        values[k - first] = from.of_atom(t, static_cast<atom>(run.first_atom + k));
        tiles[k - first] = t;
      });
    }
    block.sync();
  }

 private:
  /// Maximum bytes of a thread's fetched data, held in 32 registers until they are used. (12 items of a column and a
  /// float take 24.)
  static constexpr int max_fetched_bytes = 128;
  struct nothing {};
  template <int Items> static constexpr auto what_is_fetched() {
    if constexpr (requires(const Values& of, atom a) { of.of_fetched(of.fetch(a)); }) {
      using each = decltype(std::declval<const Values&>().fetch(atom{}));
      constexpr bool held =
          std::is_default_constructible_v<each> && Items * sizeof(each) <= max_fetched_bytes;
      return std::type_identity<std::conditional_t<held, each, nothing>>{};
    } else {
      return std::type_identity<nothing>{};
    }
  }
  template <int Items> using fetched = typename decltype(what_is_fetched<Items>())::type;
  template <int Items> static constexpr bool fetches = !std::is_same_v<fetched<Items>, nothing>;

  template <int Items> EVENLY_FN auto rows() const {
    const slot<mark_row<Items>> all{slots.ends.offset, static_cast<std::uint32_t>(block.size())};
    return block.storage(all);
  }

  EVENLY_FN value of_chunk(const run_chunk<tiles_type>& chunk, int k) const {
    const auto a = static_cast<atom>(chunk.first_atom + k);
    if constexpr (Values::by_atom)
      return from.of_streaming(a);
    else
      return from.of_atom(static_cast<tile>(chunk.first_tile + block.storage(slots.tile_of.tile_of)[k]), a);
  }

  /// A thread's reads of the chunk's tile ends. They are used only after all loads are in flight.
  template <int Items> struct ends_read {
    atom end[Items]; ///< of tile rank + i * size
    atom begin;      ///< at lane i: of the tile of end[i] at lane 0
  };

  /// A tile begins where the one before ends, and the previous lane reads that end. Therefore only the begins of a
  /// warp's first tiles are read, each by another lane.
  template <int Items>
  EVENLY_INLINE_FN void read_ends(const run_chunk<tiles_type>& chunk, int tiles,
                                  ends_read<Items>& read) const {
    const int lane = lane_of(block), first = block.rank() - lane + lane * block.size();
    read.begin = chunk.first_atom;
    if (lane < Items && first < tiles) read.begin = begin_of(chunk, first);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      if (i * block.size() >= tiles) break;
      const int t = smaller(block.rank() + i * block.size(), tiles - 1);
      read.end[i] = from.tiles.end(static_cast<tile>(chunk.first_tile + t));
    }
  }
  template <int Items>
  EVENLY_INLINE_FN void find_last_atoms(const run_chunk<tiles_type>& chunk, int tiles,
                                        const ends_read<Items>& read, int (&last_atom)[Items]) const {
    const auto warp = this_warp(block);
    const bool narrow = warp.size() < Items; // its first lane reads them all
    const auto in_chunk = [&](atom a) {
      return static_cast<int>(larger(a, chunk.first_atom) - chunk.first_atom);
    };
    const int first_begin = in_chunk(read.begin);
    EVENLY_UNROLL
    for (int i = 0; i < Items; ++i) {
      const int t = block.rank() + i * block.size();
      if (i * block.size() >= tiles) break;
      const auto end = static_cast<int>(read.end[i] - chunk.first_atom);
      int begin = warp.shuffle_up(end, 1);
      if (!narrow) {
        const int first = warp.shuffle(first_begin, i);
        if (warp.rank() == 0) begin = first;
      } else if (warp.rank() == 0 && t < tiles) {
        begin = in_chunk(begin_of(chunk, t));
      }
      last_atom[i] = end > begin ? end - 1 : -1;
    }
  }
  EVENLY_INLINE_FN atom begin_of(const run_chunk<tiles_type>& chunk, int t) const {
    return from.tiles.begin(static_cast<tile>(chunk.first_tile + t));
  }
};

/// Calls body(first, atoms) for a striped_run's atoms, as many at a time as are staged for Items per thread.
/// Synchronises the block between two calls.
template <int Items, int Staged, class Block, class Run, class Body>
EVENLY_FN void for_each_stage(Block& block, const Run& run, const Body& body) {
  if constexpr (Staged == Items) {
    body(0, static_cast<int>(run.last_atom - run.first_atom));
  } else {
    const int atoms = static_cast<int>(run.last_atom - run.first_atom);
    for (int first = 0; first < atoms; first += Staged * block.size()) {
      if (first > 0) block.sync();
      body(first, smaller(atoms - first, Staged * block.size()));
    }
  }
}

/// Whether atom k of `atoms` staged ones is its tile's last. `tiles`: their tiles; `last_ends`: whether the last atom
/// is.
template <class Tile, class Storage> struct ends_by_tile {
  Storage tiles;
  int atoms;
  bool last_ends;

  EVENLY_FN bool operator()(int k) const {
    if (k + 1 >= atoms) return k + 1 == atoms && last_ends;
    const Tile t = tiles[k];
    return tiles[k + 1] != t;
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// The values of a tile set's atoms, as a user's map returns them. Skeletons that combine values start from these.

namespace detail {

/// How a map is called: with as few arguments as it accepts.
template <class Map, class Tiles>
concept maps_atoms = std::invocable<const Map&, atom_type<Tiles>>;
template <class Map, class Tiles>
concept maps_atoms_of_tiles =
    !maps_atoms<Map, Tiles> && std::invocable<const Map&, tile_type<Tiles>, atom_type<Tiles>>;

template <class Map, class Tiles>
concept maps_ranks = !maps_atoms<Map, Tiles> && !maps_atoms_of_tiles<Map, Tiles> &&
                     std::invocable<const Map&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>;

/// The result type of a map for an atom; int if the map cannot be called, which combinable_atoms refuses.
template <tile_set Tiles, class Map> struct given_by {
  using type = int;
};
template <tile_set Tiles, maps_ranks<Tiles> Map> struct given_by<Tiles, Map> {
  using type = std::invoke_result_t<const Map&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>;
};
template <tile_set Tiles, maps_atoms<Tiles> Map> struct given_by<Tiles, Map> {
  using type = std::invoke_result_t<const Map&, atom_type<Tiles>>;
};
template <tile_set Tiles, maps_atoms_of_tiles<Tiles> Map> struct given_by<Tiles, Map> {
  using type = std::invoke_result_t<const Map&, tile_type<Tiles>, atom_type<Tiles>>;
};

/// combinable for a map's results.
template <tile_set Tiles, class Map, monoid_argument Op> struct combinable_atoms {
  static_assert(!generic_function<Map, tile_type<Tiles>, atom_type<Tiles>>,
                "map must have concrete parameter types, as in [=](int atom), instead of auto");
  static_assert(is_device_copyable<Map>, "map must be trivially copyable, because it is copied to the "
                                         "device: capture pointers and numbers by value");
  static_assert(maps_atoms<Map, Tiles> || maps_atoms_of_tiles<Map, Tiles> || maps_ranks<Map, Tiles>,
                "map must accept map(atom), map(tile, atom) or map(tile, atom, rank)");
  static_assert(
      !requires(const Map& of, atom_type<Tiles> a) { of.passing(a); },
      "a map's passing(atom) is now called streaming(atom)");
  static_assert(
      !requires(const Map& of, tile_type<Tiles> t, atom_type<Tiles> a) { of.beside(t, a, a); },
      "a map's beside(tile, atom, rank) is now called adjacent(tile, atom, rank)");
  using given = typename given_by<Tiles, Map>::type;
  using op = monoid_type<Op, given>;
  static constexpr bool holds = combinable<op, given>::holds;
};

} // namespace detail

template <tile_set Tiles, class Map, class Value> struct atom_values {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = Value;
  /// Whether map(atom) suffices, so that atoms can be evaluated before their tiles are known.
  static constexpr bool by_atom = detail::maps_atoms<Map, Tiles>;
  /// Whether map(atom) is also available in two steps: fetch and of_fetched.
  static constexpr bool fetches =
      by_atom && requires(const Map& of, atom_type<Tiles> a) { of.of_fetched(of.fetch(a)); };
  /// Whether a function combines the atoms of a part itself (for_each_range.hpp).
  static constexpr bool by_parts = false;
  /// Whether the function must be called only once per atom.
  static constexpr bool each_once = false;
  /// With fewer atoms, the accumulators of fold_serial are not worth combining.
  static constexpr int min_atoms_in_lanes = 64;

  Tiles tiles;
  Map map;

  /// Returns map(atom). Consecutive threads call it for consecutive atoms, each exactly once.
  EVENLY_INLINE_FN value of_streaming(atom a) const {
    if constexpr (requires { map.streaming(a); })
      return map.streaming(a);
    else
      return map(a);
  }

  /// of_streaming in two steps, for maps that have them: reading in order, then computing from the data read. All reads
  /// are then in flight before anything waits.
  EVENLY_INLINE_FN auto fetch(atom a) const
  requires(fetches)
  {
    return map.fetch(a);
  }
  template <class Fetched>
  EVENLY_INLINE_FN value of_fetched(const Fetched& fetched) const
  requires requires(const Map& of) { of.of_fetched(fetched); }
  {
    return map.of_fetched(fetched);
  }

  EVENLY_INLINE_FN value of_atom(tile t, atom a) const {
    if constexpr (by_atom)
      return map(a);
    else if constexpr (detail::maps_atoms_of_tiles<Map, Tiles>)
      return map(t, a);
    else
      return map(t, a, static_cast<atom>(a - tiles.begin(t)));
  }

  /// Combines the atoms of a tile in order, by one thread. Consecutive threads process consecutive tiles. A map may
  /// have a faster member `adjacent` for this, called as the map is; `has_adjacent_tiles()` returns whether to use it.
  template <monoid Op>
  EVENLY_INLINE_FN value fold_adjacent(const Op& op, tile t, atom begin, atom end) const {
    const auto of = [&](atom a) { return of_atom(t, a); };
    if constexpr (requires { map.adjacent(t, begin, begin); }) {
      if (map.has_adjacent_tiles())
        return fold_loads(op, begin, end,
                          [&](atom a) { return map.adjacent(t, a, static_cast<atom>(a - tiles.begin(t))); });
      return fold_loads(op, begin, end, of);
    } else if constexpr (fetches) {
      return fold_loads(op, begin, end, of);
    } else {
      return fold_each(op, op.identity(), begin, end, of);
    }
  }

  /// Combines the atoms of [begin, end) in order: first up to three, then four, then eight at a time. All loads of one
  /// step are in flight together. For a plain loop compilers wait for the first load of the remainder before they start
  /// the others.
  ///
  /// For maps that do little except load, such as those with fetch or adjacent: each is inlined 15 times. Values of
  /// more than 8 bytes would take too many registers and use the loop. Effect: docs/decisions/0042.
  template <monoid Op, class ValueOf>
  EVENLY_INLINE_FN static value fold_loads(const Op& op, atom begin, atom end, const ValueOf& value_of) {
    if constexpr (sizeof(value) > 8) {
      return fold_each(op, op.identity(), begin, end, value_of);
    } else {
      value sum = op.identity();
      const atom size = end - begin;
      const auto more = static_cast<int>(size & 3);
#if defined(__CUDA_ARCH__)
      value few[3]; // unused values cost no instructions
#else
      value few[3] = {sum, sum, sum};
#endif
      EVENLY_UNROLL
      for (int i = 0; i < 3; ++i)
        if (i < more) few[i] = value_of(static_cast<atom>(begin + i));
      EVENLY_UNROLL
      for (int i = 0; i < 3; ++i)
        if (i < more) sum = op(sum, few[i]);
      begin += more;
      if ((size & 4) != 0) {
        sum = fold_all<4>(op, sum, begin, value_of);
        begin += 4;
      }
      for (; begin < end; begin += 8) sum = fold_all<8>(op, sum, begin, value_of);
      return sum;
    }
  }
  /// Combines `sum` and the atoms, one after the other.
  template <monoid Op, class ValueOf>
  EVENLY_INLINE_FN static value fold_each(const Op& op, value sum, atom begin, atom end,
                                          const ValueOf& value_of) {
    for (; begin < end; ++begin) sum = op(sum, value_of(begin));
    return sum;
  }
  /// Combines `sum` and the next Count atoms.
  template <int Count, monoid Op, class ValueOf>
  EVENLY_INLINE_FN static value fold_all(const Op& op, value sum, atom begin, const ValueOf& value_of) {
    value each[Count];
    EVENLY_UNROLL
    for (int i = 0; i < Count; ++i) each[i] = value_of(static_cast<atom>(begin + i));
    EVENLY_UNROLL
    for (int i = 0; i < Count; ++i) sum = op(sum, each[i]);
    return sum;
  }

  /// Combines consecutive atoms, by one thread. On the CPU it combines eight at a time, as a tree. The chain of
  /// dependent operations is then an eighth as long; the order of the operands is unchanged. Extremes of numbers have
  /// the same result in any order: of many atoms, registers combine several at a time.
  EVENLY_MAY_CALL_HOST
  template <class Block, monoid Op>
  EVENLY_INLINE_FN value fold(const Op& op, tile t, atom begin, atom end) const {
    const auto of = [&](atom a) { return of_atom(t, a); };
    value sum = op.identity();
    if constexpr (Block::is_serial && by_atom && detail::extreme_in_lanes<Op>) {
      struct values_by_index {
        const Map& map;
        EVENLY_INLINE_FN value operator[](std::int64_t a) const { return map(static_cast<atom>(a)); }
      };
      if (end - begin >= min_atoms_in_lanes) return detail::fold_serial(values_by_index{map}, begin, end, op);
    }
    if constexpr (Block::is_serial) {
      const auto pair = [&](atom a) { return op(of(a), of(a + 1)); };
      for (; end - begin >= 8; begin += 8) {
        keep_loop();
        sum = op(sum, op(op(pair(begin), pair(begin + 2)), op(pair(begin + 4), pair(begin + 6))));
      }
    }
    return fold_each(op, sum, begin, end, of);
  }
};

} // namespace evenly
