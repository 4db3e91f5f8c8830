// SPDX-License-Identifier: Apache-2.0
// How users' functions are called, and what they are told who write them otherwise. Each rule is asserted by itself, so
// that an error names the one that is broken.
#pragma once

#include <concepts>

#include "evenly/core/annotations.hpp"
#include "evenly/core/kernel_part.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::detail {

/// Whether the call operator is a template with such arguments. (Compilers differ in which of the two they see.)
template <class F, class... Arguments>
concept has_call_template = requires { &F::template operator()<Arguments...>; } ||
                            requires(const F& function, Arguments... arguments) {
                              function.template operator()<Arguments...>(arguments...);
                            };
/// Whether it is with any for a tile and an atom, as of a generic lambda: then it seems to take whatever it is asked
/// about.
template <class F, class Tile, class Atom>
concept generic_function =
    has_call_template<F, Tile> || has_call_template<F, Atom> || has_call_template<F, Tile, Atom> ||
    has_call_template<F, Tile, Atom, Atom> ||
    requires(const F& function, Tile tile, Atom atom) { function.template operator()<Atom>(tile, atom); } ||
    requires(const F& function, Tile tile, Atom atom) { function.template operator()<Tile>(tile, atom); };

/// visit of for_each_atom.
template <class Visit, tile_set Tiles> struct visits {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static_assert(!generic_function<Visit, tile, atom>,
                "visit has concrete parameter types, as in [](int tile, int atom): it is no generic lambda");
  static_assert(generic_function<Visit, tile, atom> || std::invocable<const Visit&, tile, atom, atom> ||
                    std::invocable<const Visit&, tile, atom>,
                "visit is called as visit(tile, atom, rank) or visit(tile, atom)");
  static_assert(is_kernel_part<Visit>,
                "visit is copied to where it runs: it is trivially copyable, so it captures "
                "pointers and numbers, by value, and owns nothing");
  static constexpr bool holds = true;
};

/// store of what combines: of reduce_tiles by tile, of scan_tiles by atom.
template <class Store, class Number, class Value> struct stores {
  static_assert(
      !generic_function<Store, Number, Value>,
      "store has concrete parameter types, as in [=](int number, float value): it is no generic lambda");
  static_assert(generic_function<Store, Number, Value> || std::invocable<const Store&, Number, Value>,
                "store is called as store(tile, value) by reduce_tiles, as store(atom, value) by scan_tiles");
  static_assert(is_kernel_part<Store>,
                "store is copied to where it runs: it is trivially copyable, so it captures "
                "pointers and numbers, by value, and owns nothing");
  static constexpr bool holds = true;
};

} // namespace evenly::detail
