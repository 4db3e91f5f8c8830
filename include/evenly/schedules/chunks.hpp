// SPDX-License-Identifier: Apache-2.0
// Chunks for persistent blocks, which draw chunks until none are left.
//
// A launch usually has a block for each part of the work. A mapping that satisfies chunked_mapping also offers chunks:
// its atoms are cut into chunks, all equal except the last, and a table has the begin of each. A skeleton that combines
// atoms may then start as many blocks as are resident. Each block repeatedly draws the number of a chunk, or of several
// consecutive ones (primitives/look_back.hpp). This pays if the next chunk's atoms can be loaded while the
// current ones are combined. Skeletons, executors and values that cannot use chunks call the mapping's distribute(), as
// under other schedules.
//
// Contract:
//   schedule   chunks are in atom order; every atom is in one; a chunk has block size x chunk_items atoms, the last one
//              at least one. The table is in memory of the executor for as long as the plan lives
//   skeleton   draws each chunk once and ends every tile once, empty ones too. A chunk has the empty tiles between its
//              first tile and the next chunk's. Those before the first atom of all belong to the first chunk, those
//              after the last atom to the last
#pragma once

#include <concepts>
#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/schedules/detail/even_atoms.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The begins of chunks. Chunk c has the atoms [begin(c), begin(c + 1)), c in [0, count()).
template <tile_set Tiles> struct chunk_table {
  even_atoms<Tiles> dealt;
  const tile_type<Tiles>* starts; ///< count() + 1 tiles

  EVENLY_FN const Tiles& tiles() const { return dealt.tiles; }
  EVENLY_FN std::int64_t count() const { return dealt.chunks; }
  /// Returns the end of all atoms for chunks that do not exist.
  EVENLY_FN atom_type<Tiles> begin(std::int64_t chunk) const { return dealt.begin(chunk); }
  /// The tile of the chunk's first atom; for count(), that of the last atom. Reads memory.
  EVENLY_FN tile_type<Tiles> tile_at(std::int64_t chunk) const { return counted_load(starts + chunk); }
};

/// A mapping whose chunks blocks may draw.
template <class M>
concept chunked_mapping = mapping<M> && requires(const M& mapping) {
  { M::chunk_items } -> std::convertible_to<int>; // atoms per chunk and thread
  { mapping.chunks() } -> std::same_as<chunk_table<typename M::tiles_type>>;
};

} // namespace evenly
