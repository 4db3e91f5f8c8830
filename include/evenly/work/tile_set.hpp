// SPDX-License-Identifier: Apache-2.0
// WHAT: the contract between a problem and every schedule.
//
// A tile set cuts a problem into tiles (matrix rows, a vertex's edges, segments), each a run of atoms
// (nonzeros, edges, elements). Terms after Osama et al., "A programming model for GPU load balancing" (PPoPP
// 2023).
//
// Laws, for a tile set w with n = w.tiles():
//   1. Atoms of tile t, 0 <= t < n, are [w.begin(t), w.end(t)), and 0 <= w.begin(t) <= w.end(t).
//   2. Atoms are numbered in tile order without gaps: w.end(t) = w.begin(t + 1) for t + 1 < n.
//      The first atom need not be 0: a slice of a matrix is a tile set too. An atom's number is its place in this
//      order, and nothing else. Where atoms lie in arrays as they are numbered, as those of csr tiles do, the number
//      is also the place in the array; a tile set that is made of another, in which tiles may come in any order and
//      several times (tile_list.hpp), numbers them anew and leads back to the other set's by source_atom.
//   3. A tile set is a view: trivially copyable, and what it points to is not changed while a plan for it
//   lives.
// make_plan checks laws 1 and 2 and names the first tile that breaks them.
//
// Tiles and atoms are numbered with signed integers of 32 or 64 bits; the two types may differ.
// begin and end are called in inner loops, on the executor where the data lies; an adapter states their cost.
//
// A tile set may have more:
//   tile_of(a)                  the tile of an atom. Where it costs a load or less the set says so (knows_tile_of), and
//                               who looks for an atom's tile asks for it instead of searching
//   describe(t, begin, end)     static: the message for a tile that breaks a law, one line
//   require_laws(exec, tiles)   found by its arguments: what make_plan does to check laws 1 and 2, if begin and end do
//                               not show whether what they are found from is right. Waits; throws invalid_argument,
//                               naming the first fault. Of tile sets that are counted_on_host
//
// What the host knows of a tile set. Of every one it knows tiles(), unless its sizes are numbers on the device
// (sized_on_device): then tiles(), begin and end are called on the executor only, and the host has stated capacities,
// max_tiles() and max_atoms(), which the sizes do not exceed when the tile set is used. Of some (counted_on_host)
// it knows which atoms they have without reading memory of the executor.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

template <class W>
concept tile_set =
    std::is_trivially_copyable_v<W> && signed_of_32_or_64_bits<typename W::tile_type> &&
    signed_of_32_or_64_bits<typename W::atom_type> && requires(const W& w, typename W::tile_type t) {
      { w.tiles() } -> std::same_as<typename W::tile_type>; // known on the host, unless sized_on_device
      { w.begin(t) } -> std::same_as<typename W::atom_type>;
      { w.end(t) } -> std::same_as<typename W::atom_type>;
    };

template <tile_set W> using tile_type = typename W::tile_type;
template <tile_set W> using atom_type = typename W::atom_type;

/// A tile set whose sizes only the device knows; the host has capacities.
template <class W>
concept sized_on_device = tile_set<W> && requires(const W& w) {
  { w.max_tiles() } -> std::same_as<typename W::tile_type>;
  { w.max_atoms() } -> std::same_as<std::int64_t>;
};

/// A tile set of which the host knows the atoms, [first_atom(), first_atom() + atoms()), as well as the tiles.
template <class W>
concept counted_on_host = tile_set<W> && !sized_on_device<W> && requires(const W& w) {
  { w.first_atom() } -> std::same_as<typename W::atom_type>;
  { w.atoms() } -> std::same_as<std::int64_t>;
};

/// A tile set in which the tile of an atom is at hand, as where entries have their rows: tile_of(a) costs a load or
/// less. It says so by `static constexpr bool tile_of_is_quick = true`, since a search may be called tile_of as well.
template <class W>
concept knows_tile_of = tile_set<W> && requires(const W& w, typename W::atom_type a) {
  { w.tile_of(a) } -> std::same_as<typename W::tile_type>;
  requires W::tile_of_is_quick;
};

/// How many tiles and atoms there may be: of a tile set that is sized on the device, or in a plan.
struct capacity {
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
  constexpr bool operator==(const capacity&) const = default;
};

/// As many tiles as the host knows that there may be.
template <tile_set W> constexpr tile_type<W> max_tiles(const W& tiles) {
  if constexpr (sized_on_device<W>)
    return tiles.max_tiles();
  else
    return tiles.tiles();
}

} // namespace evenly
