// SPDX-License-Identifier: Apache-2.0
// The values of parts of tiles, as the body of for_each_range combines them. It replaces atom_values in the consumer of
// reduce_tiles.
#pragma once

#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/kernels/detail/refusal.hpp"
#include "evenly/kernels/ranges.hpp"
#include "evenly/kernels/work_range.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// A body that uses atoms only (for_each_range.hpp).
template <class Body> struct atoms_only_body {
  Body body;
  template <class Range> EVENLY_INLINE_FN void operator()(const Range& range) const { body(range); }
};
template <class Body> inline constexpr bool is_atoms_only = false;
template <class Body> inline constexpr bool is_atoms_only<atoms_only_body<Body>> = true;

/// `Checked`: whether a body that combines nothing, or twice, is refused.
template <tile_set Tiles, class Body, monoid Op, bool Checked> struct part_values {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = typename Op::value_type;
  static constexpr bool by_atom = is_atoms_only<Body>;
  static constexpr bool by_parts = true;
  static constexpr bool each_once = !by_atom;

  Tiles tiles;
  Body body;
  Op combined_by;

  /// Returns the value of the atoms begin, begin + step, ... below `end`. Requires begin < end. Each atom is in one
  /// part.
  EVENLY_INLINE_FN value of_part(tile t, atom begin, atom end, int step) const {
    return of_atoms(t, step_range<atom>(begin, end, step));
  }
  EVENLY_INLINE_FN value of_atom(tile t, atom a) const { return of_atoms(t, just(a)); }
  EVENLY_INLINE_FN value of_streaming(atom a) const {
    static_assert(by_atom);
    return of_range<true>(unknown_number{}, just(a));
  }

  template <class Block> EVENLY_INLINE_FN value fold(const Op& op, tile t, atom begin, atom end) const {
    return begin < end ? of_atoms(t, consecutive_range<atom>(begin, end)) : op.identity();
  }

 private:
  EVENLY_FN static consecutive_range<atom> just(atom a) { return {a, static_cast<atom>(a + 1)}; }
  template <class Atoms> EVENLY_INLINE_FN value of_atoms(tile t, const Atoms& atoms) const {
    if constexpr (by_atom)
      return of_range<false>(unknown_number{}, atoms);
    else
      return of_range<false>(t, atoms);
  }
  template <bool Streaming, class Number, class Atoms>
  EVENLY_INLINE_FN value of_range(const Number& t, const Atoms& atoms) const {
    detail::combined_value<value> kept{combined_by.identity()};
    tile_range<Number, Atoms, false, value, Streaming> range(t, atoms,
                                                             &kept); // named, as in range_consumer
    body(range);
    if constexpr (Checked) {
      if (kept.times != 1)
        EVENLY_REFUSE("the body of for_each_range must combine each tile exactly once",
                      "the range of " + name_of(t) + " was combined " + std::to_string(kept.times) +
                          " times: call range.combine(tile, value) exactly once for each of range.tiles()");
    }
    return kept.value;
  }
  static std::string name_of(unknown_number) { return "a tile"; }
  static std::string name_of(tile t) { return "tile " + std::to_string(t); }
};

} // namespace evenly
