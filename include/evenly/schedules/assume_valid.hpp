// SPDX-License-Identifier: Apache-2.0
// assume_valid: skips the checks of make_plan for tiles, or for a source of tiles. It also states their number of
// atoms, if the host can know it. docs/plans.md has the cost of such a plan.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"
#include "evenly/work/tile_source.hpp"

namespace evenly {

/// The result of assume_valid(): tiles assumed to keep the laws, and the range of their atoms if the host knows it.
template <tile_set Tiles> struct assumed_valid_tiles {
  using tile_type = typename Tiles::tile_type;

  Tiles tiles;
  std::optional<extent<Tiles>> all;
};

/// Returns tiles whose laws make_plan and rebind do not check. If the tile set knows its atoms on the host
/// (counted_on_host, as uniform_tiles does), nothing is read back. Otherwise make_plan and rebind read the first and
/// last offset back, which waits on cuda.
template <tile_set Tiles>
requires(!sized_on_device<Tiles>)
assumed_valid_tiles<Tiles> assume_valid(const Tiles& tiles) {
  if constexpr (counted_on_host<Tiles>)
    return {tiles, extent<Tiles>{tiles.first_atom(), tiles.atoms()}};
  else
    return {tiles, std::nullopt};
}
/// The same for tiles with the atoms [first_atom, first_atom + atoms). Nothing is read back. Throws invalid_argument if
/// a number is negative, or the atoms are more than the tile set's atom_type can count.
template <tile_set Tiles>
requires(!sized_on_device<Tiles>)
assumed_valid_tiles<Tiles> assume_valid(const Tiles& tiles, std::int64_t atoms,
                                        atom_type<Tiles> first_atom = 0) {
  constexpr std::int64_t max = std::numeric_limits<atom_type<Tiles>>::max();
  require(first_atom >= 0 && atoms >= 0 && atoms <= max - first_atom, [&] {
    return detail::concat("atoms = ", atoms, " from ", first_atom, " on: must not be negative or end above ",
                          max);
  });
  return {tiles, extent<Tiles>{first_atom, atoms}};
}

/// The same for a source of tiles (work/tile_source.hpp).
template <tile_source Source> struct assumed_valid_source {
  using tile_type = typename Source::tile_type;

  Source source;
  std::optional<std::int64_t> atoms;
};

/// Returns a source that make_plan and rebind do not check.
template <tile_source Source> assumed_valid_source<Source> assume_valid(const Source& source) {
  return {source, {}};
}
/// `atoms`: the number of atoms of all tiles together. Throws invalid_argument if it is negative.
template <tile_source Source>
assumed_valid_source<Source> assume_valid(const Source& source, std::int64_t atoms) {
  require(atoms >= 0, [&] { return detail::concat("atoms = ", atoms, ": must not be negative"); });
  return {source, atoms};
}

template <class Tiles, class... Atoms>
[[deprecated("use assume_valid")]] auto trusted(const Tiles& tiles, const Atoms&... atoms) {
  return assume_valid(tiles, atoms...);
}

} // namespace evenly
