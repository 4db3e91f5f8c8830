// SPDX-License-Identifier: Apache-2.0
// A launch policy: persistent blocks and draw chunks.
//
// A launch has, as a rule, a block for each share of the work. A mapping that satisfies chunked_mapping offers another
// way: its atoms are cut into chunks, equal but for the last, and a table says where each begins. A skeleton that
// combines atoms may then start as many blocks as the device has room for, each of which draws the number of a chunk,
// or of several consecutive ones, and goes on until there are none left (primitives/persistent_pass.hpp). It pays where
// the next chunk's atoms can be on their way while the present one's are combined. Skeletons,
// executors and values that this is not for use the mapping's distribute(), as under other schedules.
//
// What is agreed:
//   the schedule   chunks are in atom order; every atom is in one; a chunk has block size x chunk_items atoms, the last
//                  one at least one. The table lies where the kernel runs, for as long as the plan lives
//   the skeleton   draws each chunk once. It ends every tile once, the empty ones too: those between a chunk's first
//                  tile and the next chunk's belong to the chunk, those before the first atom of all to the first, and
//                  those behind the last atom to the last
#pragma once

#include <concepts>
#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/schedules/detail/even_atoms.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/trace/counted_memory.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Where chunks begin. Chunk c has atoms [begin(c), begin(c + 1)), c in [0, count()).
template <tile_set Tiles> struct chunk_table {
  even_atoms<Tiles> dealt;
  const tile_type<Tiles>* starts; ///< count() + 1 tiles

  EVENLY_FN const Tiles& tiles() const { return dealt.tiles; }
  EVENLY_FN std::int64_t count() const { return dealt.chunks; }
  /// The end of all atoms for chunks that do not exist.
  EVENLY_FN atom_type<Tiles> begin(std::int64_t chunk) const { return dealt.begin(chunk); }
  /// The tile of the chunk's first atom; for count() that of the last atom. Reads memory.
  EVENLY_FN tile_type<Tiles> tile_at(std::int64_t chunk) const { return counted_load(starts + chunk); }
};

/// A mapping whose chunks blocks may draw.
template <class M>
concept chunked_mapping = mapping<M> && requires(const M& mapping) {
  { M::chunk_items } -> std::convertible_to<int>; // atoms of a chunk for each thread of a block
  { mapping.chunks() } -> std::same_as<chunk_table<typename M::tiles_type>>;
};

} // namespace evenly
