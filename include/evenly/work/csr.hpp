// SPDX-License-Identifier: Apache-2.0
// csr_tiles: compressed sparse rows (and columns, and any segments) as tiles. Tile = row, atom = nonzero.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Tiles given by `tiles + 1` non-decreasing offsets. begin and end cost one load each.
template <class Offset = int, signed_of_32_or_64_bits Tile = int> class csr_tile_set {
  static_assert(signed_of_32_or_64_bits<Offset>,
                "offsets must be signed integers of 32 or 64 bits, such as int and std::int64_t");

 public:
  using tile_type = Tile;
  using atom_type = Offset;

  csr_tile_set() = default;
  EVENLY_FN constexpr csr_tile_set(const Offset* offsets, Tile tiles) : offsets_(offsets), tiles_(tiles) {}

  EVENLY_FN constexpr Tile tiles() const { return tiles_; }
  EVENLY_FN constexpr Offset begin(Tile t) const { return read_only(offsets_ + t); }
  EVENLY_FN constexpr Offset end(Tile t) const { return read_only(offsets_ + t + 1); }
  EVENLY_FN constexpr const Offset* offsets() const { return offsets_; }
  /// Whether both are views of the same offsets in memory.
  constexpr bool operator==(const csr_tile_set&) const = default;

  /// Returns the message for a tile t = [begin, end) that breaks a law.
  static std::string describe(long long t, Offset begin, Offset end) {
    const auto name = [](long long i) { return detail::concat("offsets[", i, "]"); };
    if (begin < 0) return detail::concat(name(t), " = ", begin, " is negative: offsets must be 0 or greater");
    return detail::concat(name(t + 1), " = ", end, " is less than ", name(t), " = ", begin,
                          ": offsets must not decrease");
  }

 private:
  const Offset* offsets_ = nullptr;
  Tile tiles_ = 0;
};

static_assert(tile_set<csr_tile_set<int>> && tile_set<csr_tile_set<long long>>);

/// Returns the tiles between consecutive offsets.
///
/// - `offsets`: tiles + 1 values, in memory that the executor can read; they outlive the tile set. A temporary is
///   accepted only if it is itself a view, as std::span is.
/// - Throws invalid_argument if `offsets` is empty or null, or if there are more tiles than int can number.
template <detail::array_like Offsets> auto csr_tiles(Offsets&& offsets) {
  static_assert(detail::outlives_call<Offsets>, "csr_tiles keeps a view of the offsets: store them in a "
                                                "variable, because a temporary ends with this statement");
  const auto values = detail::elements_of("offsets", std::as_const(offsets));
  require(!values.empty(), [] { return "offsets must hold tiles + 1 values, got 0 values"; });
  require(values.size() - 1 <= static_cast<std::size_t>(std::numeric_limits<int>::max() - 1),
          [&] { return detail::concat(values.size() - 1, " tiles overflow a 32-bit tile number"); });
  using offset = typename decltype(values)::value_type;
  return detail::tiles_where(offsets,
                             csr_tile_set<offset>(values.data(), static_cast<int>(values.size() - 1)));
}

// ---------------------------------------------------------------------------------------------------------------------
// counted_csr_tiles: csr_tiles whose reads of offsets are counted if simt traces the launch (trace/trace.hpp). It has a
// type of its own, so that the tile set of other executors does not change.

/// A csr_tile_set with counted reads of its offsets.
template <class Offset, class Tile = int> struct counted_csr_tiles : csr_tile_set<Offset, Tile> {
  counted_csr_tiles() = default;
  constexpr counted_csr_tiles(const csr_tile_set<Offset, Tile>& tiles) : csr_tile_set<Offset, Tile>(tiles) {}

  /// The place of an access is that of the caller.
  Offset begin(Tile t, detail::caller_place where = {}) const {
    return counted_load(this->offsets() + t, where);
  }
  Offset end(Tile t, detail::caller_place where = {}) const {
    return counted_load(this->offsets() + t + 1, where);
  }
  constexpr bool operator==(const counted_csr_tiles&) const = default;
};
static_assert(tile_set<counted_csr_tiles<int>>);

/// The type of csr_tile_set<Offset> that a plan on such an executor uses.
template <class Executor, class Offset>
using csr_tiles_on = std::conditional_t<std::is_same_v<pointer_on<Executor, Offset>, Offset*>,
                                        csr_tile_set<Offset>, counted_csr_tiles<Offset>>;

} // namespace evenly
