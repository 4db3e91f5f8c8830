// SPDX-License-Identifier: Apache-2.0
// Where a persistent frontier is (graph/detail/persistent_frontier.hpp): lists in memory, and storage of blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_totals.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"

namespace evenly {

/// A tile of a frontier: its atoms are [begin, begin + count). `before`: how many atoms the list has before them.
template <class Tile, class Atom>
struct alignas(sizeof(Atom) == 4 && sizeof(Tile) == 4 ? 16 : 8) listed_tile {
  Tile tile;
  Atom begin;
  Atom count;
  Atom before;
};

/// How many tiles and atoms a frontier has. Tiles without atoms count, and are in no list.
struct frontier_size {
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
};

/// Two lists, which take turns, and their ends: memory that a launch needs, of any contents.
template <class Tile, class Atom> struct persistent_lists {
  static constexpr std::size_t line = totals_memory::line;
  static constexpr std::size_t bytes_of_ends = 3 * line;

  struct list_end {
    std::uint64_t entries_and_atoms;
    std::uint64_t tiles; ///< also those without atoms
  };

  listed_tile<Tile, Atom>* first; ///< as many entries as there are tiles
  listed_tile<Tile, Atom>* second;
  std::byte* ends;
  int atom_bits; ///< of a word that counts entries and atoms

  EVENLY_FN listed_tile<Tile, Atom>* list(int which) const { return which == 0 ? first : second; }
  EVENLY_FN list_end& end(int turn) const {
    return *reinterpret_cast<list_end*>(ends + static_cast<std::size_t>(turn) * line);
  }
  EVENLY_FN std::uint64_t pack(std::int64_t entries, std::int64_t atoms) const {
    return static_cast<std::uint64_t>(entries) << atom_bits | static_cast<std::uint64_t>(atoms);
  }
  EVENLY_FN std::int64_t entries_of(std::uint64_t packed) const {
    return static_cast<std::int64_t>(packed >> atom_bits);
  }
  EVENLY_FN std::int64_t atoms_of(std::uint64_t packed) const {
    return static_cast<std::int64_t>(packed & ((std::uint64_t{1} << atom_bits) - 1));
  }
};

/// Storage of a block.
template <class Tile, class Atom, class Staged> struct persistent_frontier_slots {
  slot<Tile> kept_tile;   ///< of each kept atom: of this level and of the next
  slot<Staged> kept_atom; ///< likewise
  slot<listed_tile<Tile, Atom>> found;
  slot<listed_tile<Tile, Atom>> window; ///< of the list
  slot<Atom> before;                    ///< of the entries in the window
  slot<Atom> scanned;
  /// Entries, tiles without atoms, atoms that were given a place, entries of many: of this level and of the next.
  slot<int> counts;
  slot<std::uint64_t> scratch;

  /// Atoms that a block keeps, at most.
  EVENLY_FN static constexpr int max_kept(block_shape shape) {
    return shape.size == 1 ? 4096 : shape.size > 256 ? 2048 : 8 * shape.size;
  }
  /// Tiles that a block finds, at most, before it writes them to the list.
  EVENLY_FN static constexpr int max_found(block_shape shape) {
    return max_kept(shape) + max_kept(shape) / 4; // so that a GPU has more of its first cache
  }

  EVENLY_FN static constexpr persistent_frontier_slots lay_out(storage_layout& layout, block_shape shape) {
    return {layout.take<Tile>(2 * max_kept(shape)),
            layout.take<Staged>(2 * max_kept(shape)),
            layout.take<listed_tile<Tile, Atom>>(max_found(shape)),
            layout.take<listed_tile<Tile, Atom>>(shape.size),
            layout.take<Atom>(shape.size),
            layout.take<Atom>(block_scan_slots(shape)),
            layout.take<int>(8),
            layout.take<std::uint64_t>(1)};
  }
};

} // namespace evenly
