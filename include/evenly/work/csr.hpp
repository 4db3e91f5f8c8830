// SPDX-License-Identifier: Apache-2.0
// Compressed sparse rows (and columns, and any segments) as tiles: tile = row, atom = nonzero.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Tiles given by `tiles + 1` offsets that do not decrease. begin and end cost one load each.
template <std::signed_integral Offset = int, std::signed_integral Tile = int> class csr_tile_set {
 public:
  using tile_type = Tile;
  using atom_type = Offset;

  csr_tile_set() = default;
  EVENLY_FN constexpr csr_tile_set(const Offset* offsets, Tile tiles) : offsets_(offsets), tiles_(tiles) {}

  EVENLY_FN constexpr Tile tiles() const { return tiles_; }
  EVENLY_FN constexpr Offset begin(Tile t) const { return read_only(offsets_ + t); }
  EVENLY_FN constexpr Offset end(Tile t) const { return read_only(offsets_ + t + 1); }

  /// The message for a tile t = [begin, end) that breaks a law.
  static std::string describe(long long t, Offset begin, Offset end) {
    const auto name = [](long long i) { return "offsets[" + std::to_string(i) + "]"; };
    if (begin < 0) return name(t) + " = " + std::to_string(begin) + " is negative: offsets must not be";
    return name(t + 1) + " = " + std::to_string(end) + " is less than " + name(t) + " = " +
           std::to_string(begin) + ": offsets must not decrease";
  }

 private:
  const Offset* offsets_ = nullptr;
  Tile tiles_ = 0;
};

static_assert(tile_set<csr_tile_set<int>> && tile_set<csr_tile_set<long long>>);

/// The tiles between consecutive offsets, which lie where the executor can read them.
/// `offsets`: tiles + 1 values. Throws invalid_argument if there is none, or more tiles than int can number.
template <std::signed_integral Offset> csr_tile_set<Offset> csr_tiles(std::span<const Offset> offsets) {
  require(!offsets.empty(), [] { return "offsets must hold tiles + 1 values, got 0 values"; });
  require(offsets.size() - 1 <= static_cast<std::size_t>(std::numeric_limits<int>::max() - 1), [&] {
    return std::to_string(offsets.size() - 1) + " tiles are more than a 32-bit tile number can count";
  });
  return {offsets.data(), static_cast<int>(offsets.size() - 1)};
}
template <std::signed_integral Offset> csr_tile_set<Offset> csr_tiles(std::span<Offset> offsets) {
  return csr_tiles(std::span<const Offset>(offsets));
}
template <class Container>
requires requires(const Container& c) { std::span(c.data(), c.size()); }
auto csr_tiles(const Container& offsets) {
  return csr_tiles(std::span<const typename Container::value_type>(offsets.data(), offsets.size()));
}

} // namespace evenly
