// SPDX-License-Identifier: Apache-2.0
// The tile_set concept: the interface between a problem and every schedule.
//
// A tile set cuts a problem into tiles (matrix rows, a vertex's edges, segments). Each tile is a run of atoms
// (nonzeros, edges, elements). Terms after Osama et al., "A programming model for GPU load balancing" (PPoPP 2023).
//
// Laws, for a tile set w with n = w.tiles():
// 1. The atoms of tile t, 0 <= t < n, are [w.begin(t), w.end(t)), and 0 <= w.begin(t) <= w.end(t).
// 2. Atoms are numbered in tile order without gaps: w.end(t) = w.begin(t + 1) for t + 1 < n. The first atom need not be
//    0, so a slice of a matrix is a tile set too.
// 3. A tile set is a view: trivially copyable, and its data do not change while a plan for it lives.
//
// make_plan checks laws 1 and 2 and names the first tile that breaks them.
//
// An atom's number is its place in this order, and nothing else. If the arrays have the same order, as for csr tiles,
// the number is also the place in the array. A tile set made of another one, with tiles in any order and repeated
// (tile_list.hpp), renumbers atoms; source_atom leads back to the other set.
//
// Tiles and atoms are numbered with signed integers of 32 or 64 bits; the two types may differ. begin and end are
// called in inner loops, on the executor of the data; an adapter states their cost.
//
// Optional members and functions:
//   tile_of(a)                  the tile of an atom. If it costs at most one load, the set states this (knows_tile_of),
//                               and schedules call it instead of searching
//   describe(t, begin, end)     static: the message for a tile that breaks a law, one line
//   require_laws(exec, tiles)   found by ADL: replaces make_plan's check of laws 1 and 2 if begin and end cannot show
//                               whether their data are right. Waits; throws invalid_argument, naming the first fault.
//                               For tile sets that are counted_on_host
//
// The host knows tiles(), except for tile sets sized on the device (sized_on_device). For these, tiles(), begin and end
// are called on the executor only. The host states capacities, max_tiles() and max_atoms(), which the sizes do not
// exceed when the tile set is used. For tile sets counted_on_host, the host also knows the atoms without reading memory
// of the executor.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

/// A type that follows the laws in the head of this file.
template <class W>
concept tile_set =
    std::is_trivially_copyable_v<W> && signed_of_32_or_64_bits<typename W::tile_type> &&
    signed_of_32_or_64_bits<typename W::atom_type> && requires(const W& w, typename W::tile_type t) {
      { w.tiles() } -> std::same_as<typename W::tile_type>; // known on the host, unless sized_on_device
      { w.begin(t) } -> std::same_as<typename W::atom_type>;
      { w.end(t) } -> std::same_as<typename W::atom_type>;
    };

/// The types that number the tiles and the atoms of a tile set.
template <tile_set W> using tile_type = typename W::tile_type;
template <tile_set W> using atom_type = typename W::atom_type;

/// A tile set whose sizes only the device knows. The host has capacities.
template <class W>
concept sized_on_device = tile_set<W> && requires(const W& w) {
  { w.max_tiles() } -> std::same_as<typename W::tile_type>;
  { w.max_atoms() } -> std::same_as<std::int64_t>;
};

/// A tile set whose tiles and atoms, [first_atom(), first_atom() + atoms()), the host knows.
template <class W>
concept counted_on_host = tile_set<W> && !sized_on_device<W> && requires(const W& w) {
  { w.first_atom() } -> std::same_as<typename W::atom_type>;
  { w.atoms() } -> std::same_as<std::int64_t>;
};

/// A tile set whose tile_of(a) costs at most one load, for example because entries have their rows. It states this by
/// `static constexpr bool tile_of_is_quick = true`, since tile_of may also be a search.
template <class W>
concept knows_tile_of = tile_set<W> && requires(const W& w, typename W::atom_type a) {
  { w.tile_of(a) } -> std::same_as<typename W::tile_type>;
  requires W::tile_of_is_quick;
};

/// The maximum numbers of tiles and atoms: of a tile set sized on the device, or of a plan.
struct capacity {
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
  constexpr bool operator==(const capacity&) const = default;
};

/// Returns the maximum number of tiles that the host knows.
template <tile_set W> constexpr tile_type<W> max_tiles(const W& tiles) {
  if constexpr (sized_on_device<W>)
    return tiles.max_tiles();
  else
    return tiles.tiles();
}

} // namespace evenly
