// SPDX-License-Identifier: Apache-2.0
// Tiles of which only the sizes are known: as counted by another kernel, or stored by a format without offsets (Osama
// et al., "A programming model for GPU load balancing", PPoPP 2023, section 4.1). Where they begin is found when they
// are planned: scanned.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/detail/kept_array.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/scanned.hpp"
#include "evenly/work/tile_source.hpp"

namespace evenly {

/// `Count`: where the number of tiles is. size costs a load.
template <signed_of_32_or_64_bits Size, signed_of_32_or_64_bits Atom, class Count>
class sized_tile_source : public Count {
  static_assert(sizeof(Size) <= sizeof(Atom), "the atom type must hold the size of any tile");

 public:
  using tile_type = decltype(std::declval<const Count&>().tiles());
  using atom_type = Atom;

  sized_tile_source() = default;
  sized_tile_source(const Size* sizes, const Count& count) : Count(count), sizes_(sizes) {}

  EVENLY_FN constexpr Atom size(tile_type t) const { return read_only(sizes_ + t); }

  /// The message for a size that breaks a law.
  static std::string describe(long long t, std::int64_t, std::int64_t size) {
    return detail::concat("sizes[", t, "] = ", size, " is negative: sizes must be 0 or greater");
  }

 private:
  const Size* sizes_ = nullptr;
};

static_assert(tile_source<sized_tile_source<int, int, count_on_host<int>>>);
static_assert(tile_source<sized_tile_source<int, std::int64_t, count_on_device<int, int>>>);

/// Tiles of these sizes, which lie where the executor can read them and outlive the source: a temporary is taken only
/// if it is a view itself, as std::span is. sized_tiles<std::int64_t>(sizes): with atoms of that type, where sizes of
/// int sum up to more than int can count. Throws invalid_argument if they are at a null pointer, or more than int can
/// number.
template <class Atom = void, detail::array_like Sizes> auto sized_tiles(Sizes&& sizes) {
  static_assert(detail::outlives_call<Sizes>, "sized_tiles keeps a view of the sizes: store them in a "
                                              "variable, because a temporary ends with this statement");
  const auto values = detail::elements_of("sizes", std::as_const(sizes));
  using size = typename decltype(values)::value_type;
  using count = count_on_host<int>;
  return sized_tile_source<size, std::conditional_t<std::is_void_v<Atom>, size, Atom>, count>(
      values.data(), count(static_cast<std::int64_t>(values.size())));
}

/// The same of which only the executor knows how many there are: *count, which lies there, as the sizes do. `max_size`:
/// how many there may be, and how many atoms in all. Throws invalid_argument if something is null or that cannot be.
template <class Atom = void, signed_of_32_or_64_bits Size, signed_of_32_or_64_bits Number>
auto sized_tiles(const Size* sizes, const Number* count, const capacity& max_size) {
  require(sizes != nullptr || max_size.tiles == 0,
          [&] { return detail::concat("sizes is null, but must have ", max_size.tiles, " elements"); });
  using counted = count_on_device<int, Number>;
  return sized_tile_source<Size, std::conditional_t<std::is_void_v<Atom>, Size, Atom>, counted>(
      sizes, counted(count, max_size));
}

} // namespace evenly
