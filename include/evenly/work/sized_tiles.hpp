// SPDX-License-Identifier: Apache-2.0
// sized_tiles: tiles with known sizes and unknown offsets, as counted by another kernel or stored by a format without
// offsets. A plan finds the offsets (scanned.hpp).
//
// Source: Osama et al., "A programming model for GPU load balancing", PPoPP 2023, section 4.1.
#pragma once

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

/// `Count`: provides the number of tiles. size costs one load.
template <signed_of_32_or_64_bits Size, signed_of_32_or_64_bits Atom, class Count>
class sized_tile_source : public Count {
  static_assert(sizeof(Size) <= sizeof(Atom), "the atom type must hold the size of any tile");

 public:
  using tile_type = decltype(std::declval<const Count&>().tiles());
  using atom_type = Atom;

  sized_tile_source() = default;
  sized_tile_source(const Size* sizes, const Count& count) : Count(count), sizes_(sizes) {}

  EVENLY_FN constexpr Atom size(tile_type t) const { return read_only(sizes_ + t); }

  /// Returns the message for a size that breaks a law.
  static std::string describe(long long t, std::int64_t, std::int64_t size) {
    return detail::concat("sizes[", t, "] = ", size, " is negative: sizes must be 0 or greater");
  }

 private:
  const Size* sizes_ = nullptr;
};

static_assert(tile_source<sized_tile_source<int, int, count_on_host<int>>>);
static_assert(tile_source<sized_tile_source<int, std::int64_t, count_on_device<int, int>>>);

/// Returns tiles of these sizes.
///
/// - `sizes`: in memory that the executor can read; they outlive the source. A temporary is accepted only if it is
///   itself a view, as std::span is.
/// - `Atom`: the atom type, if sizes of int sum up to more than int can count: sized_tiles<std::int64_t>(sizes).
/// - Throws invalid_argument if `sizes` is null or has more elements than int can number.
template <class Atom = void, detail::array_like Sizes> auto sized_tiles(Sizes&& sizes) {
  static_assert(detail::outlives_call<Sizes>, "sized_tiles keeps a view of the sizes: store them in a "
                                              "variable, because a temporary ends with this statement");
  const auto values = detail::elements_of("sizes", std::as_const(sizes));
  using size = typename decltype(values)::value_type;
  using count = count_on_host<int>;
  return sized_tile_source<size, std::conditional_t<std::is_void_v<Atom>, size, Atom>, count>(
      values.data(), count(static_cast<std::int64_t>(values.size())));
}

/// The same if only the executor knows the number of tiles.
///
/// - `sizes`, `count`: in memory that the executor can read; *count is the number of tiles.
/// - `max_size`: the maximum numbers of tiles and of atoms.
/// - Throws invalid_argument if a pointer is null or the capacity is out of range.
template <class Atom = void, signed_of_32_or_64_bits Size, signed_of_32_or_64_bits Number>
auto sized_tiles(const Size* sizes, const Number* count, const capacity& max_size) {
  require(sizes != nullptr || max_size.tiles == 0,
          [&] { return detail::concat("sizes is null, but must have ", max_size.tiles, " elements"); });
  using counted = count_on_device<int, Number>;
  return sized_tile_source<Size, std::conditional_t<std::is_void_v<Atom>, Size, Atom>, counted>(
      sizes, counted(count, max_size));
}

} // namespace evenly
