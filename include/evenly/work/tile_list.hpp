// SPDX-License-Identifier: Apache-2.0
// tile_list: chosen tiles of another tile set, in any order and with repetitions. Examples: the frontier of a graph
// search, the rows that changed.
//
// Tile i of the list is tile list[i] of the other set. Atoms are numbered through the list from 0: those of its first
// tile, then those of the second. An atom of a tile that is listed twice has two numbers; an atom of an unlisted tile
// has none. source(tile) and source_atom(tile, atom) of the planned tile set lead back. A plan finds the begin of each
// listed tile (scanned.hpp). Reasons: docs/decisions/0014.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/scanned.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// `Count`: provides the number of listed tiles. size costs one load plus begin and end of the other set.
template <tile_set Tiles, signed_of_32_or_64_bits Atom, class Count> class tile_list_source : public Count {
  static_assert(sizeof(evenly::atom_type<Tiles>) <= sizeof(Atom),
                "the atom type must hold the size of any tile");

 public:
  using tile_type = evenly::tile_type<Tiles>;
  using atom_type = Atom;

  tile_list_source() = default;
  tile_list_source(const Tiles& tiles, const tile_type* list, const Count& count)
      : Count(count), of_(tiles), list_(list) {}

  /// The tile of the other set.
  EVENLY_FN constexpr tile_type source(tile_type t) const { return read_only(list_ + t); }
  /// The begin of that tile.
  EVENLY_FN constexpr auto source_begin(tile_type t) const { return of_.begin(source(t)); }
  EVENLY_FN constexpr Atom size(tile_type t) const {
    const tile_type at = source(t);
    return is_tile(at) ? static_cast<Atom>(of_.end(at)) - static_cast<Atom>(of_.begin(at)) : 0;
  }

  EVENLY_FN constexpr bool valid(tile_type t) const { return is_tile(source(t)); }
  EVENLY_FN constexpr std::int64_t entry(tile_type t) const { return source(t); }
  /// Returns the message for an entry that breaks a law.
  static std::string describe(long long t, std::int64_t entry, std::int64_t size) {
    const std::string what = "list[" + std::to_string(t) + "] = " + std::to_string(entry);
    if (size < 0)
      return detail::concat(what, ", a tile of ", size, " atoms: tiles must not end before they begin");
    return what + " is not a tile of the listed set";
  }

 private:
  EVENLY_FN constexpr bool is_tile(tile_type t) const { return t >= 0 && t < of_.tiles(); }

  Tiles of_{};
  const tile_type* list_ = nullptr;
};

namespace detail {

template <class Atom, tile_set Tiles, class Count>
auto listed(const Tiles& tiles, const tile_type<Tiles>* list, const Count& count, std::int64_t max) {
  require(list != nullptr || max == 0,
          [&] { return detail::concat("list is null, but must have ", max, " tiles"); });
  using atom = std::conditional_t<std::is_void_v<Atom>, atom_type<Tiles>, Atom>;
  return tile_list_source<Tiles, atom, Count>(tiles, list, count);
}

} // namespace detail

/// Returns the tiles list[0], ..., list[count - 1] of `tiles`.
///
/// - `list`: in memory that the executor can read.
/// - `Atom`: the atom type, if a list with repetitions has more atoms than the set's own type can count:
///   `tile_list<std::int64_t>(...)`.
/// - Throws invalid_argument if the list is null or the count is out of range.
template <class Atom = void, tile_set Tiles, std::integral Count>
auto tile_list(const Tiles& tiles, const tile_type<Tiles>* list, Count count) {
  const auto many = static_cast<std::int64_t>(count);
  return detail::listed<Atom>(tiles, list, count_on_host<tile_type<Tiles>>(many), many);
}

/// The same if only the executor knows the number of listed tiles.
///
/// - `list`, `count`: in memory that the executor can read; *count is the number of listed tiles.
/// - `max`: the maximum numbers of listed tiles and of their atoms.
/// - Throws invalid_argument if a pointer is null or the capacity is out of range.
template <class Atom = void, tile_set Tiles, signed_of_32_or_64_bits Number>
auto tile_list(const Tiles& tiles, const tile_type<Tiles>* list, const Number* count,
               const capacity& max_size) {
  using counted = count_on_device<tile_type<Tiles>, Number>;
  return detail::listed<Atom>(tiles, list, counted(count, max_size), max_size.tiles);
}

} // namespace evenly
