// SPDX-License-Identifier: Apache-2.0
// Tile sources: problems that know the size of each tile but not its offset. make_plan sums the sizes up, on the
// executor, and plans the resulting tile set (scanned.hpp).
//
// Source: "formats" in Osama et al., "A programming model for GPU load balancing", PPoPP 2023, section 4.1.
//
// Laws, for a source s with n = s.tiles():
// 1. Tile t, 0 <= t < n, has s.size(t) atoms, and s.size(t) >= 0. Their sum is at most what atom_type can count.
// 2. Atoms are numbered from 0, in tile order, without gaps.
// 3. A source is a view: trivially copyable, and its data do not change while a plan for it lives, unless the plan is
//    notified.
//
// size is called on the executor, once or twice per tile.
//
// If only the executor knows the number of tiles, the source states the maximum, as a tile set does (tile_set.hpp);
// tiles() is then called on the executor only. If there are more tiles or atoms than stated, no memory beyond is
// accessed; with too many atoms the tile set has one atom more than stated.
//
// Optional members, for the message about a tile that breaks law 1:
//   bool valid(t)                                 on the executor: whether the entry is right; if it cannot be read,
//                                                 size(t) is 0
//   std::int64_t entry(t)                         on the executor: the number that the message names
//   static std::string describe(t, entry, size)   the message, one line
//
// The functions that plans call, found by ADL (scanned.hpp has them for sources of sizes):
//   std::size_t scan_bytes(source)                the bytes that the plan keeps on the executor, aligned to 64 bytes
//   workspace::sizes scan_room(exec, source, n)    the workspace that scan_source takes, for all sources of at most n
//                                                 tiles
//   scan_source(exec, source, memory, workspace)  makes the tile set in `memory` and returns it; asynchronous on cuda,
//                                                 and allocates nothing if the workspace has that room
//   std::int64_t inspect_source(exec, tiles)      returns the number of atoms of that tile set; waits. Throws
//                                                 invalid_argument, naming the first entry of the source that breaks a
//                                                 law
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// A source that consists of sizes only.
template <class S>
concept sized_source = std::is_trivially_copyable_v<S> && signed_of_32_or_64_bits<typename S::tile_type> &&
                       signed_of_32_or_64_bits<typename S::atom_type> && !tile_set<S> &&
                       requires(const S& s, typename S::tile_type t) {
                         { s.tiles() } -> std::same_as<typename S::tile_type>;
                         { s.size(t) } -> std::same_as<typename S::atom_type>;
                       };

/// The input from which a plan makes a tile set. A source with more than sizes names that tile set as scanned_type.
template <class S>
concept tile_source = sized_source<S> || (std::is_trivially_copyable_v<S> &&
                                          requires { requires tile_set<typename S::scanned_type>; });

/// Whether only the executor knows the number of tiles. The host knows the maximum.
template <class S>
concept counted_on_device = requires(const S& s) {
  { s.max_tiles() } -> std::convertible_to<std::int64_t>;
  { s.max_atoms() } -> std::convertible_to<std::int64_t>;
};

namespace detail {

/// Throws invalid_argument unless `number` is in [0, most].
inline void require_number(const char* name, std::int64_t number, std::int64_t max) {
  require(number >= 0 && number <= max, [&] {
    return detail::concat(name, " = ", number, ": must be from 0 to ", max, ", the maximum of their type");
  });
}

} // namespace detail

/// The number of tiles of a source that is an array, known on the host.
template <signed_of_32_or_64_bits Tile> class count_on_host {
 public:
  static constexpr std::int64_t max = std::numeric_limits<Tile>::max() - Tile{1};

  count_on_host() = default;
  /// Throws invalid_argument if `count` is negative or more than Tile can number.
  explicit count_on_host(std::int64_t count) : tiles_(static_cast<Tile>(count)) {
    detail::require_number("count", count, max);
  }

  EVENLY_FN constexpr Tile tiles() const { return tiles_; }

 private:
  Tile tiles_ = 0;
};

/// The same as a number in the executor's memory, which each kernel reads.
template <signed_of_32_or_64_bits Tile, signed_of_32_or_64_bits Number> class count_on_device {
 public:
  count_on_device() = default;
  /// Throws invalid_argument if `count` is null, or if the capacity is negative or more than Tile can number.
  count_on_device(const Number* count, const capacity& max_size)
      : count_(count), max_tiles_(static_cast<Tile>(max_size.tiles)), max_atoms_(max_size.atoms) {
    require(count != nullptr,
            [] { return "count is null: it must point to the number of tiles on the device"; });
    detail::require_number("most tiles", max_size.tiles, count_on_host<Tile>::max);
    detail::require_number("most atoms", max_size.atoms, std::numeric_limits<std::int64_t>::max());
  }

  /// The number, limited to the range of Tile.
  EVENLY_FN constexpr Tile tiles() const {
    constexpr std::int64_t max = std::numeric_limits<Tile>::max();
    const std::int64_t count = read_only(count_);
    return static_cast<Tile>(count < 0 ? -1 : smaller(count, max));
  }
  EVENLY_FN constexpr std::int64_t stated_tiles() const { return read_only(count_); }
  constexpr Tile max_tiles() const { return max_tiles_; }
  constexpr std::int64_t max_atoms() const { return max_atoms_; }

 private:
  const Number* count_ = nullptr;
  Tile max_tiles_ = 0;
  std::int64_t max_atoms_ = 0;
};

} // namespace evenly
