// SPDX-License-Identifier: Apache-2.0
// The values of a tile set's atoms, as a user's map gives them: what skeletons that combine values start from.
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/algorithms/detail/calls.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/kernel_part.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

/// How a map is called: by as few arguments as it takes.
template <class Map, class Tiles>
concept maps_atoms = std::invocable<const Map&, atom_type<Tiles>>;
template <class Map, class Tiles>
concept maps_atoms_of_tiles =
    !maps_atoms<Map, Tiles> && std::invocable<const Map&, tile_type<Tiles>, atom_type<Tiles>>;

/// What a map gives for an atom, if it is a map at all.
template <tile_set Tiles, class Map> struct given_by {
  using type = std::invoke_result<const Map&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>::type;
};
template <tile_set Tiles, maps_atoms<Tiles> Map> struct given_by<Tiles, Map> {
  using type = std::invoke_result_t<const Map&, atom_type<Tiles>>;
};
template <tile_set Tiles, maps_atoms_of_tiles<Tiles> Map> struct given_by<Tiles, Map> {
  using type = std::invoke_result_t<const Map&, tile_type<Tiles>, atom_type<Tiles>>;
};

/// combinable for what a map gives of the atoms.
template <tile_set Tiles, class Map, monoid Op> struct combinable_atoms {
  static_assert(!generic_function<Map, tile_type<Tiles>, atom_type<Tiles>>,
                "map has concrete parameter types, as in [=](int atom): it is no generic lambda");
  static_assert(is_kernel_part<Map>,
                "map is copied to where it runs: it is trivially copyable, so it captures "
                "pointers and numbers, by value, and owns nothing");
  static_assert(maps_atoms<Map, Tiles> || maps_atoms_of_tiles<Map, Tiles> ||
                    std::invocable<const Map&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>,
                "map is called as map(atom), map(tile, atom) or map(tile, atom, rank)");
  static constexpr bool holds = combinable<Op, typename given_by<Tiles, Map>::type>::holds;
};

} // namespace detail

template <tile_set Tiles, class Map, class Value> struct atom_values {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = Value;
  /// Whether map(atom) is enough, so that atoms can be evaluated before their tiles are known.
  static constexpr bool by_atom = detail::maps_atoms<Map, Tiles>;
  /// Whether a function combines the atoms of a part itself (part_values.hpp).
  static constexpr bool by_parts = false;
  /// Whether the function must not be called again for an atom.
  static constexpr bool each_once = false;

  Tiles tiles;
  Map map;

  /// map(atom), where neighbouring threads call for neighbouring atoms, and nobody for these again.
  EVENLY_INLINE_FN value of_passing(atom a) const {
    if constexpr (requires { map.passing(a); })
      return map.passing(a);
    else
      return map(a);
  }

  /// of_passing in two steps, of a map that has them: what is read in order, and what is made of that. So all of the
  /// former is under way before anything waits.
  EVENLY_INLINE_FN auto fetch(atom a) const
  requires(by_atom && requires(const Map& of) { of.of_fetched(of.fetch(a)); })
  {
    return map.fetch(a);
  }
  template <class Fetched>
  EVENLY_INLINE_FN value of_fetched(const Fetched& fetched) const
  requires requires(const Map& of) { of.of_fetched(fetched); }
  {
    return map.of_fetched(fetched);
  }

  EVENLY_INLINE_FN value of_atom(tile t, atom a) const {
    if constexpr (by_atom)
      return map(a);
    else if constexpr (detail::maps_atoms_of_tiles<Map, Tiles>)
      return map(t, a);
    else
      return map(t, a, static_cast<atom>(a - tiles.begin(t)));
  }

  /// of_atom, by a thread whose neighbours have atoms of the same rank in neighbouring tiles; of a map that says what to
  /// do then, as one whose arrays have those side by side.
  EVENLY_INLINE_FN value of_beside(tile t, atom a) const {
    if constexpr (requires { map.beside(t, a, a); })
      return map.beside(t, a, static_cast<atom>(a - tiles.begin(t)));
    else
      return of_atom(t, a);
  }

  /// So many atoms of a tile, at most, are asked for together.
  static constexpr int most_together = sizeof(value) <= 8 ? 3 : 0;

  /// Combines the atoms of a tile in order, by one of many threads, whose neighbours have neighbouring tiles. The loads
  /// of a tile of few atoms are under way together: in a loop each would wait for the one before. (SpMV of
  /// great-britain_osm, whose rows have 2.1 entries, by thread_mapped on an H200, 2026-11-26: 75 us, 85 without; where
  /// all rows have 5 or 8, asking for three first took up to 9% longer, so longer tiles go straight to the loop.)
  template <monoid Op> EVENLY_INLINE_FN value fold_beside(const Op& op, tile t, atom begin, atom end) const {
    value sum = op.identity();
    if constexpr (most_together > 0) {
      if (end - begin <= most_together) {
        value each[most_together];
        EVENLY_UNROLL
        for (int i = 0; i < most_together; ++i)
          if (i < end - begin) each[i] = of_beside(t, static_cast<atom>(begin + i));
        EVENLY_UNROLL
        for (int i = 0; i < most_together; ++i)
          if (i < end - begin) sum = op(sum, each[i]);
        return sum;
      }
    }
    for (; begin < end; ++begin) sum = op(sum, of_beside(t, begin));
    return sum;
  }

  /// Combines consecutive atoms, by one thread. On the CPU eight at a time, as a tree, so that the chain of
  /// dependent operations is an eighth as long; the order of the operands stays.
  template <class Block, monoid Op>
  EVENLY_INLINE_FN value fold(const Op& op, tile t, atom begin, atom end) const {
    value sum = op.identity();
    if constexpr (Block::is_serial) {
      const auto pair = [&](atom a) { return op(of_atom(t, a), of_atom(t, a + 1)); };
      for (; end - begin >= 8; begin += 8) {
        keep_loop();
        sum = op(sum, op(op(pair(begin), pair(begin + 2)), op(pair(begin + 4), pair(begin + 6))));
      }
    }
    for (; begin < end; ++begin) sum = op(sum, of_atom(t, begin));
    return sum;
  }
};

} // namespace evenly
