// SPDX-License-Identifier: Apache-2.0
// The memory of a persistent frontier (graph/detail/persistent_frontier.hpp): lists in memory, and shared memory of
// blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"

namespace evenly::graphs {

/// A tile of a frontier: its atoms are [begin, begin + count). `before`: the number of atoms before them in the list.
template <class Tile, class Atom>
struct alignas(sizeof(Atom) == 4 && sizeof(Tile) == 4 ? 16 : 8) listed_tile {
  Tile tile;
  Atom begin;
  Atom count;
  Atom before;
};

/// The numbers of tiles and atoms of a frontier. Tiles without atoms count, but are in no list.
struct frontier_size {
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
};

/// Two lists that take turns, and their ends. The memory may have any contents before a launch.
template <class Tile, class Atom> struct persistent_lists {
  static constexpr std::size_t line = totals_memory::line;
  static constexpr std::size_t bytes_of_ends = 3 * line;

  struct list_end {
    std::uint64_t entries_and_atoms;
    std::uint64_t tiles; ///< including tiles without atoms
  };

  listed_tile<Tile, Atom>* first; ///< one entry per tile
  listed_tile<Tile, Atom>* second;
  std::byte* ends;
  int atom_bits; ///< in a word that counts entries and atoms

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

/// The shared memory of a block.
template <class Tile, class Atom, class Staged> struct persistent_frontier_slots {
  slot<Tile> kept_tile;   ///< per kept atom: of this level and of the next
  slot<Staged> kept_atom; ///< likewise
  slot<listed_tile<Tile, Atom>> found;
  slot<listed_tile<Tile, Atom>> window; ///< a window of the list
  slot<Atom> before;                    ///< atoms before each entry in the window
  slot<Atom> scanned;
  /// Counts of entries, tiles without atoms, placed atoms and long entries: of this level and of the next.
  slot<int> counts;
  slot<std::uint64_t> scratch;

  /// The maximum number of atoms that a block keeps.
  EVENLY_FN static constexpr int max_kept(block_shape shape) {
    return shape.size == 1 ? 4096 : shape.size > 256 ? 2048 : 8 * shape.size;
  }
  /// The maximum number of tiles that a block finds before it writes them to the list.
  EVENLY_FN static constexpr int max_found(block_shape shape) {
    return max_kept(shape) + max_kept(shape) / 4; // leaves more first-level cache on a GPU
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

} // namespace evenly::graphs
