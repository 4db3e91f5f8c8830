// SPDX-License-Identifier: Apache-2.0
// Appends the tiles of a block to a list (graph/detail/persistent_frontier.hpp).
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/graph/detail/persistent_places.hpp"

namespace evenly::detail {

/// Reserves places for `listed` tiles, and a count for each of `empty` tiles, at the end of the list, and writes them.
/// Each entry stores the number of atoms before it. Called by all threads of the block, which has synchronised before;
/// synchronises the block at the end.
template <class Block, class Tile, class Atom>
EVENLY_OUT_OF_LINE_FN void write_found(Block& block, slot<graphs::listed_tile<Tile, Atom>> found_at,
                                       slot<Atom> scanned, slot<std::uint64_t> scratch_at,
                                       graphs::listed_tile<Tile, Atom>* list,
                                       typename graphs::persistent_lists<Tile, Atom>::list_end& end,
                                       int atom_bits, int listed, int empty) {
  const auto found = block.storage(found_at);
  const auto scratch = block.storage(scratch_at);
  const int each = ceil_div(listed, block.size());
  const int first = smaller(block.rank() * each, listed), last = smaller(first + each, listed);
  Atom sum = 0;
  for (int i = first; i < last; ++i) {
    const graphs::listed_tile<Tile, Atom> one = found[i];
    sum += one.count;
  }
  const auto scan = block_scan(block, sum, plus<Atom>{}, block.storage(scanned));
  Atom before = scan.before;
  for (int i = first; !Block::is_serial && i < last; ++i) {
    graphs::listed_tile<Tile, Atom> one = found[i];
    one.before = before;
    before += one.count;
    found[i] = one;
  }
  if (block.rank() == 0) {
    const auto packed =
        static_cast<std::uint64_t>(listed) << atom_bits | static_cast<std::uint64_t>(scan.total);
    scratch[0] = atomic_ref(end.entries_and_atoms).fetch_add(packed, order::relaxed{});
    atomic_ref(end.tiles).fetch_add(static_cast<std::uint64_t>(listed + empty), order::relaxed{});
  }
  block.sync();
  const std::uint64_t base = scratch[0];
  const auto out = traced(block, list + (base >> atom_bits));
  for (int i = block.rank(); i < listed; i += block.size()) {
    graphs::listed_tile<Tile, Atom> one = found[i];
    if constexpr (Block::is_serial) {
      one.before = before;
      before += one.count;
    }
    one.before += static_cast<Atom>(base & ((std::uint64_t{1} << atom_bits) - 1));
    out[i] = one;
  }
  block.sync();
}

} // namespace evenly::detail
