// SPDX-License-Identifier: Apache-2.0
// A work range: the calling thread's part of a tile, as ranges, in a kernel of your own.
//
//   for (auto tile : range.tiles()) {                    exactly one
//     float sum = 0;
//     for (auto atom : range.atoms(tile)) sum += values[atom] * x[columns[atom]];
//     range.combine(tile, sum);
//   }
//
// The schedule determines which ranges a thread gets, and how many. The type of `tile` determines what is allowed:
//
//   whole_tile      all atoms of the tile are this thread's. It converts to the tile's number, so  y[tile] = sum  is
//                   right
//   part_of_tile    other threads may have atoms of the tile too. `tile.number` is its number, and  y[tile]  does not
//                   compile. Combine its values by range.combine, or by atomic operations
//
// The compiler thus rejects code for whole tiles under a schedule that cuts tiles.
//
// Source: Osama et al., "A programming model for GPU load balancing" (PPoPP 2023), sections 4.2, 4.3 and 5.2. There
// tiles() are all tiles of a thread, and each kernel handles cut tiles itself.
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/ranges.hpp"

namespace evenly {

/// A tile with all its atoms in this range.
template <class Tile> struct whole_tile {
  static constexpr bool is_whole = true;
  Tile number;
  EVENLY_FN constexpr operator Tile() const { return number; }
};
/// A tile that other ranges may have atoms of.
template <class Tile> struct part_of_tile {
  static constexpr bool is_whole = false;
  Tile number;
  EVENLY_FN constexpr operator Tile() const {
    static_assert(sizeof(Tile) == 0,
                  "other threads may have atoms of this tile under this schedule: pass the tile to "
                  "range.combine, or update memory atomically; its number is tile.number");
    return number;
  }
};

/// The number of a tile for a body that is atoms_only (for_each_range.hpp): it has not been searched.
struct unknown_number {
  template <std::integral Number> EVENLY_FN constexpr operator Number() const {
    static_assert(sizeof(Number) == 0, "a body with atoms_only must not use the number of a tile");
    return {};
  }
};

namespace detail {

/// One element, as a range.
template <class Element> struct range_of_one {
  Element element;
  EVENLY_FN constexpr const Element* begin() const { return &element; }
  EVENLY_FN constexpr const Element* end() const { return &element + 1; }
};

/// The combined value of a range, and how often it was set.
template <class Value> struct combined_value {
  Value value;
  int times = 0;
};
template <> struct combined_value<void> {};

} // namespace detail

/// A work range. It is valid during the call that gets it.
/// - `Atoms`: a range of kernels/ranges.hpp.
/// - `Kept`: void, or the type of the combined values.
/// - `Streaming`: consecutive threads read consecutive atoms, each exactly once.
template <class Tile, class Atoms, bool Whole, class Kept, bool Streaming = false> class tile_range {
 public:
  using atom = typename Atoms::iterator::value_type;
  using element = std::conditional_t<Whole, whole_tile<Tile>, part_of_tile<Tile>>;
  /// Whether the tile is known at compile time to belong to this thread alone.
  static constexpr bool is_whole = Whole;

  EVENLY_FN constexpr tile_range(Tile tile, const Atoms& atoms, detail::combined_value<Kept>* kept)
  requires(!std::is_void_v<Kept>)
      : tile_{tile}, atoms_(atoms), kept_(kept) {}
  EVENLY_FN constexpr tile_range(Tile tile, const Atoms& atoms)
  requires std::is_void_v<Kept>
      : tile_{tile}, atoms_(atoms) {}

  EVENLY_FN constexpr detail::range_of_one<element> tiles() const { return {tile_}; }
  /// The thread's atoms of `tile`, one of tiles(), in ascending order.
  EVENLY_FN constexpr const Atoms& atoms(const element&) const { return atoms_; }
  /// All atoms of the range.
  EVENLY_FN constexpr const Atoms& atoms() const { return atoms_; }
  /// The tile of an atom of the range.
  EVENLY_FN constexpr element tile_of(atom) const { return tile_; }

  /// Returns *from, an atom's own datum, which no other atom reads. If consecutive threads have consecutive atoms, the
  /// load is evict-first (load_streaming).
  template <class T> EVENLY_FN constexpr T read(const T* from) const {
    if constexpr (Streaming)
      return load_streaming(from);
    else
      return *from;
  }

  /// The same for element i of a view (execution/memory.hpp).
  template <class View>
  EVENLY_FN constexpr typename View::value_type read(const View& values, typename View::index_type i) const {
    if constexpr (std::is_same_v<View, plain_span<typename View::element_type>>)
      return read(static_cast<const typename View::value_type*>(values.data() + i));
    else
      return values[i];
  }

  /// Passes on the thread's combined value of its atoms of `tile`. Call it once for each of tiles(). The value is
  /// combined with those of other threads and blocks for the tile, and stored.
  template <class T>
  EVENLY_FN constexpr void combine([[maybe_unused]] const element& tile, const T& value) const {
    if constexpr (std::is_void_v<Kept>) {
      static_assert(
          !std::is_same_v<T, T>,
          "range.combine needs an operation: call for_each_range(block, work, slots, combine_with, body)");
    } else {
      kept_->value = value;
      ++kept_->times;
    }
  }

  template <class T>
  [[deprecated("use combine")]] EVENLY_FN constexpr void join(const element& tile, const T& value) const {
    combine(tile, value);
  }

 private:
  struct nowhere {};
  element tile_;
  Atoms atoms_;
  [[no_unique_address]] std::conditional_t<std::is_void_v<Kept>, nowhere, detail::combined_value<Kept>*>
      kept_{};
};

} // namespace evenly
