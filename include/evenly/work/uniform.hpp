// SPDX-License-Identifier: Apache-2.0
// uniform_tiles: tiles of one size, such as dense rows or fixed-size segments. Nothing is stored: begin and end cost a
// multiplication, tile_of a division.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Tiles of one size: uniform_tiles.
template <signed_of_32_or_64_bits Atom = int, signed_of_32_or_64_bits Tile = int> class uniform_tile_set {
 public:
  using tile_type = Tile;
  using atom_type = Atom;

  uniform_tile_set() = default;
  EVENLY_FN constexpr uniform_tile_set(Tile tiles, Atom size) : tiles_(tiles), size_(size) {}

  EVENLY_FN constexpr Tile tiles() const { return tiles_; }
  EVENLY_FN constexpr Atom begin(Tile t) const { return static_cast<Atom>(t) * size_; }
  EVENLY_FN constexpr Atom end(Tile t) const { return begin(t) + size_; }
  EVENLY_FN constexpr Tile tile_of(Atom a) const { return static_cast<Tile>(a / size_); }
  EVENLY_FN constexpr Atom first_atom() const { return 0; }
  EVENLY_FN constexpr std::int64_t atoms() const { return static_cast<std::int64_t>(tiles_) * size_; }

 private:
  Tile tiles_ = 0;
  Atom size_ = 0;
};

static_assert(counted_on_host<uniform_tile_set<int>> && counted_on_host<uniform_tile_set<long long>>);

/// Returns `tiles` tiles of `size` atoms each. Throws invalid_argument if a number is negative or their product
/// overflows Atom.
template <signed_of_32_or_64_bits Atom = int, signed_of_32_or_64_bits Tile = int>
uniform_tile_set<Atom, Tile> uniform_tiles(Tile tiles, Atom size) {
  require(tiles >= 0, [&] { return detail::concat("tiles = ", tiles, ": must not be negative"); });
  require(size >= 0, [&] { return detail::concat("size = ", size, ": must not be negative"); });
  require(size == 0 || tiles <= std::numeric_limits<Atom>::max() / size, [&] {
    return detail::concat(tiles, " tiles of ", size,
                          " atoms overflow the atom type: use uniform_tiles<std::int64_t>");
  });
  return {tiles, size};
}

} // namespace evenly
