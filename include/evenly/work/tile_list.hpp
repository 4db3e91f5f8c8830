// SPDX-License-Identifier: Apache-2.0
// Chosen tiles of another tile set, in any order, any of them several times: the frontier of a graph search, the rows
// that changed.
//
// Tile i of the list is tile list[i] of the other set. Atoms are numbered through the list: those of its first tile,
// then those of the second, from 0 on. So an atom of a tile that is listed twice has two numbers, and one that is in no
// tile of the list has none. source(tile) and source_atom(tile, atom) of the planned tile set lead back. Where a tile
// of the list begins is found when it is planned: scanned.hpp. docs/decisions/0014 has the reasons.
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
#include "evenly/work/tile_source.hpp"

namespace evenly {

/// `Count`: where the number of listed tiles is. size costs a load, and what begin and end of the other set cost.
template <tile_set Tiles, signed_of_32_or_64_bits Atom, class Count> class tile_list_source : public Count {
  static_assert(sizeof(evenly::atom_type<Tiles>) <= sizeof(Atom),
                "the atom type must hold the size of any tile");

 public:
  using tile_type = evenly::tile_type<Tiles>;
  using atom_type = Atom;

  tile_list_source() = default;
  tile_list_source(const Tiles& tiles, const tile_type* list, const Count& count)
      : Count(count), of_(tiles), list_(list) {}

  /// Which tile of the other set it is.
  EVENLY_FN constexpr tile_type source(tile_type t) const { return read_only(list_ + t); }
  /// Where that begins.
  EVENLY_FN constexpr auto source_begin(tile_type t) const { return of_.begin(source(t)); }
  EVENLY_FN constexpr Atom size(tile_type t) const {
    const tile_type at = source(t);
    return is_tile(at) ? static_cast<Atom>(of_.end(at)) - static_cast<Atom>(of_.begin(at)) : 0;
  }

  EVENLY_FN constexpr bool valid(tile_type t) const { return is_tile(source(t)); }
  EVENLY_FN constexpr std::int64_t entry(tile_type t) const { return source(t); }
  /// The message for an entry that breaks a law.
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

/// Tiles list[0], list[1], ..., `count` of them, of `tiles`. The list lies where the executor can read it. tile_list<
/// std::int64_t>(...): with atoms of that type, where a list that repeats tiles has more than the set's own type can
/// count. Throws invalid_argument if the list is null or the count cannot be.
template <class Atom = void, tile_set Tiles, std::integral Count>
auto tile_list(const Tiles& tiles, const tile_type<Tiles>* list, Count count) {
  const auto many = static_cast<std::int64_t>(count);
  return detail::listed<Atom>(tiles, list, count_on_host<tile_type<Tiles>>(many), many);
}

/// The same where only the executor knows how many: *count, which lies there. `max`: how many tiles the list may
/// have, and how many atoms in all. Throws invalid_argument if something is null or the capacity cannot be.
template <class Atom = void, tile_set Tiles, signed_of_32_or_64_bits Number>
auto tile_list(const Tiles& tiles, const tile_type<Tiles>* list, const Number* count,
               const capacity& max_size) {
  using counted = count_on_device<tile_type<Tiles>, Number>;
  return detail::listed<Atom>(tiles, list, counted(count, max_size), max_size.tiles);
}

} // namespace evenly
