// SPDX-License-Identifier: Apache-2.0
// How users' functions are called. Each rule has its own assertion, so that an error names the broken rule.
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::detail {

/// Whether the call operator is a template with such arguments. (Compilers differ in which of the two expressions they
/// accept.)
template <class F, class... Arguments>
concept has_call_template = requires { &F::template operator()<Arguments...>; } ||
                            requires(const F& function, Arguments... arguments) {
                              function.template operator()<Arguments...>(arguments...);
                            };
/// Whether the call operator is a template for a tile and an atom of any type, as in a generic lambda. Such a function
/// seems to accept all arguments.
template <class F, class Tile, class Atom>
concept generic_function =
    has_call_template<F, Tile> || has_call_template<F, Atom> || has_call_template<F, Tile, Atom> ||
    has_call_template<F, Tile, Atom, Atom> ||
    requires(const F& function, Tile tile, Atom atom) { function.template operator()<Atom>(tile, atom); } ||
    requires(const F& function, Tile tile, Atom atom) { function.template operator()<Tile>(tile, atom); };

/// The `visit` of for_each_atom.
template <class Visit, tile_set Tiles> struct visits {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static_assert(!generic_function<Visit, tile, atom>,
                "visit must have concrete parameter types, as in [](int tile, int atom), instead of auto");
  static_assert(generic_function<Visit, tile, atom> || std::invocable<const Visit&, tile, atom, atom> ||
                    std::invocable<const Visit&, tile, atom>,
                "visit must accept visit(tile, atom, rank) or visit(tile, atom)");
  static_assert(is_device_copyable<Visit>, "visit must be trivially copyable, because it is copied to the "
                                           "device: capture pointers and numbers by value");
  static constexpr bool holds = true;
};

/// The result type of visit, if it can be called at all.
template <class Visit, tile_set Tiles> struct found_by {
  using type = void;
};
template <class Visit, tile_set Tiles>
requires std::invocable<const Visit&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>
struct found_by<Visit, Tiles> {
  using type = std::invoke_result_t<const Visit&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>>;
};
template <class Visit, tile_set Tiles>
requires(!std::invocable<const Visit&, tile_type<Tiles>, atom_type<Tiles>, atom_type<Tiles>> &&
         std::invocable<const Visit&, tile_type<Tiles>, atom_type<Tiles>>)
struct found_by<Visit, Tiles> {
  using type = std::invoke_result_t<const Visit&, tile_type<Tiles>, atom_type<Tiles>>;
};

template <class Found>
concept is_optional = requires(const Found& found) {
  { found.has_value() } -> std::convertible_to<bool>;
  *found;
};
template <class Found, class T>
concept converts_to = requires(const Found& found) { static_cast<T>(*found); };

/// The `visit` of collect_atoms, which writes elements of T.
template <class Visit, tile_set Tiles, class T> struct collectable {
  using found = typename found_by<Visit, Tiles>::type;
  static_assert(visits<Visit, Tiles>::holds);
  static_assert(
      is_optional<found>,
      "visit must return an optional value, such as std::optional<int>, with has_value() and operator*");
  static_assert(!is_optional<found> || converts_to<found, T>,
                "the value that visit returns must convert to an element of out");
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16,
                "values must be trivially copyable and aligned to at most 16 bytes");
  static constexpr bool holds = true;
};

/// The `store` of skeletons that combine: of reduce_tiles by tile, of scan_tiles by atom.
template <class Store, class Number, class Value> struct stores {
  static_assert(
      !generic_function<Store, Number, Value>,
      "store must have concrete parameter types, as in [=](int number, float value), instead of auto");
  static_assert(generic_function<Store, Number, Value> || std::invocable<const Store&, Number, Value>,
                "store must accept store(tile, value) for reduce_tiles, store(atom, value) for scan_tiles");
  static_assert(is_device_copyable<Store>, "store must be trivially copyable, because it is copied to the "
                                           "device: capture pointers and numbers by value");
  static constexpr bool holds = true;
};

} // namespace evenly::detail
