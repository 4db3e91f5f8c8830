// SPDX-License-Identifier: Apache-2.0
// The values of a tile set's atoms, as a user's map returns them. Skeletons that combine values start from these.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evenly/algorithms/detail/calls.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/device_copyable.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/primitives/detail/serial.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

/// How a map is called: with as few arguments as it accepts.
template <class Map, class Tiles>
concept maps_atoms = std::invocable<const Map&, atom_type<Tiles>>;
template <class Map, class Tiles>
concept maps_atoms_of_tiles =
    !maps_atoms<Map, Tiles> && std::invocable<const Map&, tile_type<Tiles>, atom_type<Tiles>>;

/// The result type of a map for an atom, if the map can be called.
template <tile_set Tiles, class Map> struct given_by {
  using type = std::invoke_result<const Map&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>::type;
};
template <tile_set Tiles, maps_atoms<Tiles> Map> struct given_by<Tiles, Map> {
  using type = std::invoke_result_t<const Map&, atom_type<Tiles>>;
};
template <tile_set Tiles, maps_atoms_of_tiles<Tiles> Map> struct given_by<Tiles, Map> {
  using type = std::invoke_result_t<const Map&, tile_type<Tiles>, atom_type<Tiles>>;
};

/// combinable for a map's results.
template <tile_set Tiles, class Map, monoid_argument Op> struct combinable_atoms {
  static_assert(!generic_function<Map, tile_type<Tiles>, atom_type<Tiles>>,
                "map must have concrete parameter types, as in [=](int atom), instead of auto");
  static_assert(is_device_copyable<Map>, "map must be trivially copyable, because it is copied to the "
                                         "device: capture pointers and numbers by value");
  static_assert(maps_atoms<Map, Tiles> || maps_atoms_of_tiles<Map, Tiles> ||
                    std::invocable<const Map&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>,
                "map must accept map(atom), map(tile, atom) or map(tile, atom, rank)");
  static_assert(
      !requires(const Map& of, atom_type<Tiles> a) { of.passing(a); },
      "a map's passing(atom) is now called streaming(atom)");
  using given = typename given_by<Tiles, Map>::type;
  using op = monoid_type<Op, given>;
  static constexpr bool holds = combinable<op, given>::holds;
};

} // namespace detail

template <tile_set Tiles, class Map, class Value> struct atom_values {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = Value;
  /// Whether map(atom) suffices, so that atoms can be evaluated before their tiles are known.
  static constexpr bool by_atom = detail::maps_atoms<Map, Tiles>;
  /// Whether map(atom) is also available in two steps: fetch and of_fetched.
  static constexpr bool fetches =
      by_atom && requires(const Map& of, atom_type<Tiles> a) { of.of_fetched(of.fetch(a)); };
  /// Whether a function combines the atoms of a part itself (part_values.hpp).
  static constexpr bool by_parts = false;
  /// Whether the function must be called only once per atom.
  static constexpr bool each_once = false;
  /// With fewer atoms, the accumulators of fold_serial are not worth combining.
  static constexpr int min_atoms_in_lanes = 64;

  Tiles tiles;
  Map map;

  /// Returns map(atom). Consecutive threads call it for consecutive atoms, each exactly once.
  EVENLY_INLINE_FN value of_streaming(atom a) const {
    if constexpr (requires { map.streaming(a); })
      return map.streaming(a);
    else
      return map(a);
  }

  /// of_streaming in two steps, for maps that have them: reading in order, then computing from the data read. All reads
  /// are then in flight before anything waits.
  EVENLY_INLINE_FN auto fetch(atom a) const
  requires(fetches)
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

  /// Combines the atoms of a tile in order, by one thread. Consecutive threads process consecutive tiles. A map may
  /// have a faster member `beside` for this, called as the map is; `has_tiles_beside()` says whether to use it.
  template <monoid Op>
  EVENLY_INLINE_FN value fold_adjacent(const Op& op, tile t, atom begin, atom end) const {
    const auto of = [&](atom a) { return of_atom(t, a); };
    if constexpr (requires { map.beside(t, begin, begin); }) {
      if (map.has_tiles_beside())
        return fold_loads(op, begin, end,
                          [&](atom a) { return map.beside(t, a, static_cast<atom>(a - tiles.begin(t))); });
      return fold_loads(op, begin, end, of);
    } else if constexpr (fetches) {
      return fold_loads(op, begin, end, of);
    } else {
      return fold_each(op, op.identity(), begin, end, of);
    }
  }

  /// Combines the atoms of [begin, end) in order: first up to three, then four, then eight at a time. All loads of one
  /// step are in flight together. For a plain loop compilers wait for the first load of the remainder before they start
  /// the others.
  ///
  /// For maps that do little except load, such as those with fetch or beside: each is inlined 15 times. Values of more
  /// than 8 bytes would take too many registers and use the loop. Effect: docs/decisions/0042.
  template <monoid Op, class ValueOf>
  EVENLY_INLINE_FN static value fold_loads(const Op& op, atom begin, atom end, const ValueOf& value_of) {
    if constexpr (sizeof(value) > 8) {
      return fold_each(op, op.identity(), begin, end, value_of);
    } else {
      value sum = op.identity();
      const atom size = end - begin;
      const auto more = static_cast<int>(size & 3);
#if defined(__CUDA_ARCH__)
      value few[3]; // unused values cost no instructions
#else
      value few[3] = {sum, sum, sum};
#endif
      EVENLY_UNROLL
      for (int i = 0; i < 3; ++i)
        if (i < more) few[i] = value_of(static_cast<atom>(begin + i));
      EVENLY_UNROLL
      for (int i = 0; i < 3; ++i)
        if (i < more) sum = op(sum, few[i]);
      begin += more;
      if ((size & 4) != 0) {
        sum = fold_all<4>(op, sum, begin, value_of);
        begin += 4;
      }
      for (; begin < end; begin += 8) sum = fold_all<8>(op, sum, begin, value_of);
      return sum;
    }
  }
  /// Combines `sum` and the atoms, one after the other.
  template <monoid Op, class ValueOf>
  EVENLY_INLINE_FN static value fold_each(const Op& op, value sum, atom begin, atom end,
                                          const ValueOf& value_of) {
    for (; begin < end; ++begin) sum = op(sum, value_of(begin));
    return sum;
  }
  /// Combines `sum` and the next Count atoms.
  template <int Count, monoid Op, class ValueOf>
  EVENLY_INLINE_FN static value fold_all(const Op& op, value sum, atom begin, const ValueOf& value_of) {
    value each[Count];
    EVENLY_UNROLL
    for (int i = 0; i < Count; ++i) each[i] = value_of(static_cast<atom>(begin + i));
    EVENLY_UNROLL
    for (int i = 0; i < Count; ++i) sum = op(sum, each[i]);
    return sum;
  }

  /// Combines consecutive atoms, by one thread. On the CPU it combines eight at a time, as a tree. The chain of
  /// dependent operations is then an eighth as long; the order of the operands is unchanged. Extremes of numbers have
  /// the same result in any order: of many atoms, registers combine several at a time.
  EVENLY_MAY_CALL_HOST
  template <class Block, monoid Op>
  EVENLY_INLINE_FN value fold(const Op& op, tile t, atom begin, atom end) const {
    const auto of = [&](atom a) { return of_atom(t, a); };
    value sum = op.identity();
    if constexpr (Block::is_serial && by_atom && detail::extreme_in_lanes<Op>) {
      struct values_by_index {
        const Map& map;
        EVENLY_INLINE_FN value operator[](std::int64_t a) const { return map(static_cast<atom>(a)); }
      };
      if (end - begin >= min_atoms_in_lanes) return detail::fold_serial(values_by_index{map}, begin, end, op);
    }
    if constexpr (Block::is_serial) {
      const auto pair = [&](atom a) { return op(of(a), of(a + 1)); };
      for (; end - begin >= 8; begin += 8) {
        keep_loop();
        sum = op(sum, op(op(pair(begin), pair(begin + 2)), op(pair(begin + 4), pair(begin + 6))));
      }
    }
    return fold_each(op, sum, begin, end, of);
  }
};

} // namespace evenly
