// SPDX-License-Identifier: Apache-2.0
// How users' functions of rows are called (calls.hpp).
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/algorithms/detail/calls.hpp"
#include "evenly/algorithms/detail/rows.hpp"
#include "evenly/core/device_copyable.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::detail {

/// How a map of columns is called: with as few arguments as it accepts.
template <class Map, class Tiles>
concept maps_columns = std::invocable<const Map&, atom_type<Tiles>, int>;
template <class Map, class Tiles>
concept maps_columns_of_tiles =
    !maps_columns<Map, Tiles> && std::invocable<const Map&, tile_type<Tiles>, atom_type<Tiles>, int>;

/// Whether a map also returns packs of consecutive columns; and whether a store accepts them.
template <class Map, class Tiles, class T>
concept maps_packs = maps_columns<Map, Tiles> && requires(const Map& map, atom_type<Tiles> a) {
  { map.pack(a, 0) } -> std::same_as<row_pack<T>>;
};
/// Whether storage and uninitialised registers can hold it.
template <class Fetched>
concept can_be_staged = std::is_trivially_copyable_v<Fetched> && std::is_default_constructible_v<Fetched> &&
                        alignof(Fetched) <= 16;

/// Whether a map also separates loads from arithmetic: the data that all columns of an atom share, its row, then the
/// values.
template <class Map, class Tiles, class T>
concept fetches_atoms = maps_packs<Map, Tiles, T> && requires(const Map& map, atom_type<Tiles> a) {
  { map.values_in(map.fetch(a), map.load(map.fetch(a), 0)) } -> std::same_as<row_pack<T>>;
  requires can_be_staged<decltype(map.fetch(a))>;
};
template <class Store, class Tile, class T>
concept stores_packs =
    requires(const Store& store, Tile t, const row_pack<T>& values) { store.pack(t, 0, values); };

/// The result type of such a map, if it can be called.
template <tile_set Tiles, class Map> struct column_given_by {
  using type = std::invoke_result<const Map&, tile_type<Tiles>, atom_type<Tiles>, int>::type;
};
template <tile_set Tiles, maps_columns<Tiles> Map> struct column_given_by<Tiles, Map> {
  using type = std::invoke_result_t<const Map&, atom_type<Tiles>, int>;
};

/// The `map` of reduce_tiles_wide.
template <tile_set Tiles, class Map, monoid_argument Op> struct combinable_rows {
  static_assert(!generic_function<Map, tile_type<Tiles>, atom_type<Tiles>> &&
                    !generic_function<Map, atom_type<Tiles>, int>,
                "map must have concrete parameter types, as in [=](int atom, int column), instead of auto");
  static_assert(is_device_copyable<Map>, "map must be trivially copyable, because it is copied to the "
                                         "device: capture pointers and numbers by value");
  static_assert(maps_columns<Map, Tiles> || maps_columns_of_tiles<Map, Tiles>,
                "map must accept map(atom, column) or map(tile, atom, column) for reduce_tiles_wide");
  using given = typename column_given_by<Tiles, Map>::type;
  using op = monoid_type<Op, given>;
  static constexpr bool holds = combinable<op, given>::holds;
};

/// The `store` of reduce_tiles_wide.
template <class Store, class Tile, class Value> struct stores_rows {
  static_assert(!generic_function<Store, Tile, int> && !generic_function<Store, Tile, Value>,
                "store must have concrete parameter types, as in [=](int tile, int column, float value), "
                "instead of auto");
  static_assert(generic_function<Store, Tile, int> || generic_function<Store, Tile, Value> ||
                    std::invocable<const Store&, Tile, int, Value>,
                "store must accept store(tile, column, value) for reduce_tiles_wide");
  static_assert(is_device_copyable<Store>, "store must be trivially copyable, because it is copied to the "
                                           "device: capture pointers and numbers by value");
  static constexpr bool holds = true;
};

} // namespace evenly::detail
