// SPDX-License-Identifier: Apache-2.0
// The offsets that a block needs for a chunk of atoms. They are loaded coalesced to storage, where all threads search
// them; if a chunk spans too many tiles (runs of empty ones), they are searched in memory.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The maximum number of offsets in storage, so that a large block's window does not take too much.
inline constexpr int max_stored_offsets = 4096;

/// The tiles of the atoms [first_atom, first_atom + atoms): `count` tiles from first_tile on. Tiles and atoms are
/// counted from these. `Count`: the type of counted atoms, and of the elements of storage. Ends are limited to the
/// chunk.
template <tile_set Tiles, class Count, class Storage> class offset_window {
 public:
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using index = decltype(tile{} + 0);
  using count_type = Count;

  /// `first_tile` and `last_tile` have the chunk's first and last atom, or are separated from them by empty tiles only.
  /// Requires atoms > 0.
  EVENLY_FN offset_window(const Tiles& tiles, tile first_tile, tile last_tile, atom first_atom, Count atoms,
                          const Storage& ends)
      : tiles_(tiles), ends_(ends), first_tile_(first_tile), count_(last_tile - first_tile + 1),
        first_atom_(first_atom), atoms_(atoms), stored_(count_ <= ends.size()) {}

  EVENLY_FN index count() const { return count_; }
  EVENLY_FN Count atoms() const { return atoms_; }
  EVENLY_FN tile first_tile() const { return first_tile_; }
  EVENLY_FN atom first_atom() const { return first_atom_; }
  EVENLY_FN const Tiles& tiles() const { return tiles_; }

  /// Loads the ends to storage if they fit. All threads call, and call sync() before the first search. Several loads
  /// are in flight together: they go to registers first, and past the end the last offset is read again.
  template <class Block> EVENLY_FN void load(Block& block) const {
    if (!stored_) return;
    constexpr int together = 4;
    const int count = static_cast<int>(count_);
    for (int base = block.rank(); base < count; base += together * block.size()) {
      Count end[together];
      EVENLY_UNROLL
      for (int i = 0; i < together; ++i) end[i] = end_in_memory(smaller(base + i * block.size(), count - 1));
      EVENLY_UNROLL
      for (int i = 0; i < together; ++i)
        if (base + i * block.size() < count) ends_[base + i * block.size()] = end[i];
    }
  }

  /// The end of tile t. Requires t < count().
  EVENLY_FN Count end(index t) const {
    return stored_ ? static_cast<Count>(ends_[static_cast<int>(t)]) : end_in_memory(t);
  }

  /// The tile of atom k. Requires k < atoms().
  EVENLY_FN index tile_of(Count k) const {
    if (!stored_) return first_past<index>(0, count_, [&](index t) { return end_in_memory(t) > k; });
    return count_up_to(k, static_cast<int>(count_), [&](int t) -> Count { return ends_[t]; });
  }

  /// A tile and its end, which a thread keeps while it processes consecutive atoms.
  struct place {
    index tile;
    Count end;
  };
  EVENLY_FN place at(Count k) const {
    const index t = tile_of(k);
    return {t, end(t)};
  }
  /// Moves from a place at or before atom k to that of atom k. Immediate if that is the next tile, and fast if it is
  /// near.
  EVENLY_FN void advance(place& here, Count k) const {
    if (k < here.end) return;
    here.end = end(++here.tile);
    if (k < here.end) return;
    here.tile = first_past_near<index>(here.tile + 1, count_, [&](index t) { return end(t) > k; });
    here.end = end(here.tile);
  }

 private:
  EVENLY_FN Count end_in_memory(index t) const {
    const auto end = tiles_.end(static_cast<tile>(first_tile_ + t)) - first_atom_;
    return static_cast<Count>(smaller<decltype(end + 0)>(end, atoms_));
  }

  const Tiles& tiles_;
  Storage ends_;
  tile first_tile_;
  index count_;
  atom first_atom_;
  Count atoms_;
  bool stored_;
};

} // namespace evenly
