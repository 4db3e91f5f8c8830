// SPDX-License-Identifier: Apache-2.0
// Staging: the atoms of a run are evaluated in coalesced order and written to storage, from where each thread reads
// consecutive ones. This is common to all skeletons that combine values. Next to the values, storage holds the tile
// ends: a mark per atom, or each atom's tile.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/lanes.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/detail/tile_of_atoms.hpp"
#include "evenly/schedules/sharing.hpp"

namespace evenly {

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

} // namespace evenly
