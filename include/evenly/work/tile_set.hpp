// SPDX-License-Identifier: Apache-2.0
// The tile_set concept: the interface between a problem and every schedule.
//
// A tile set cuts a problem into tiles (matrix rows, a vertex's edges, segments). Each tile is a run of atoms
// (nonzeros, edges, elements). Terms after Osama et al., "A programming model for GPU load balancing" (PPoPP 2023).
//
// Laws, for a tile set w with n = w.tiles():
// 1. The atoms of tile t, 0 <= t < n, are [w.begin(t), w.end(t)), and 0 <= w.begin(t) <= w.end(t).
// 2. Atoms are numbered in tile order without gaps: w.end(t) = w.begin(t + 1) for t + 1 < n. The first atom need not be
//    0, so a slice of a matrix is a tile set too.
// 3. A tile set is a view: trivially copyable, and its data do not change while a plan for it lives.
//
// make_plan checks laws 1 and 2 and names the first tile that breaks them.
//
// An atom's number is its place in this order, and nothing else. If the arrays have the same order, as for csr tiles,
// the number is also the place in the array. A tile set made of another one, with tiles in any order and repeated
// (tile_list.hpp), renumbers atoms; source_atom leads back to the other set.
//
// Tiles and atoms are numbered with signed integers of 32 or 64 bits; the two types may differ. begin and end are
// called in inner loops, on the executor of the data; an adapter states their cost.
//
// Optional members and functions:
//   tile_of(a)                  the tile of an atom. If it costs at most one load, the set states this (knows_tile_of),
//                               and schedules call it instead of searching
//   describe(t, begin, end)     static: the message for a tile that breaks a law, one line
//   require_laws(exec, tiles)   found by ADL: replaces make_plan's check of laws 1 and 2 if begin and end cannot show
//                               whether their data are right. Waits; throws invalid_argument, naming the first fault.
//                               For tile sets that are counted_on_host
//
// The host knows tiles(), except for tile sets sized on the device (sized_on_device). For these, tiles(), begin and end
// are called on the executor only. The host states capacities, max_tiles() and max_atoms(), which the sizes do not
// exceed when the tile set is used. For tile sets counted_on_host, the host also knows the atoms without reading memory
// of the executor.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

/// A type that follows the laws in the head of this file.
template <class W>
concept tile_set =
    std::is_trivially_copyable_v<W> && signed_of_32_or_64_bits<typename W::tile_type> &&
    signed_of_32_or_64_bits<typename W::atom_type> && requires(const W& w, typename W::tile_type t) {
      { w.tiles() } -> std::same_as<typename W::tile_type>; // known on the host, unless sized_on_device
      { w.begin(t) } -> std::same_as<typename W::atom_type>;
      { w.end(t) } -> std::same_as<typename W::atom_type>;
    };

/// The types that number the tiles and the atoms of a tile set.
template <tile_set W> using tile_type = typename W::tile_type;
template <tile_set W> using atom_type = typename W::atom_type;

/// A tile set whose sizes only the device knows. The host has capacities.
template <class W>
concept sized_on_device = tile_set<W> && requires(const W& w) {
  { w.max_tiles() } -> std::same_as<typename W::tile_type>;
  { w.max_atoms() } -> std::same_as<std::int64_t>;
};

/// A tile set whose tiles and atoms, [first_atom(), first_atom() + atoms()), the host knows.
template <class W>
concept counted_on_host = tile_set<W> && !sized_on_device<W> && requires(const W& w) {
  { w.first_atom() } -> std::same_as<typename W::atom_type>;
  { w.atoms() } -> std::same_as<std::int64_t>;
};

/// A tile set whose tile_of(a) costs at most one load, for example because entries have their rows. It states this by
/// `static constexpr bool tile_of_is_quick = true`, since tile_of may also be a search.
template <class W>
concept knows_tile_of = tile_set<W> && requires(const W& w, typename W::atom_type a) {
  { w.tile_of(a) } -> std::same_as<typename W::tile_type>;
  requires W::tile_of_is_quick;
};

/// The maximum numbers of tiles and atoms: of a tile set sized on the device, or of a plan.
struct capacity {
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
  constexpr bool operator==(const capacity&) const = default;
};

/// Returns the maximum number of tiles that the host knows.
template <tile_set W> constexpr tile_type<W> max_tiles(const W& tiles) {
  if constexpr (sized_on_device<W>)
    return tiles.max_tiles();
  else
    return tiles.tiles();
}

// ---------------------------------------------------------------------------------------------------------------------
// placed_tiles: tiles with the executor whose memory holds their offsets.

/// A tile set of an owner on a device, as rows_of(a) and csr_tiles(offsets) return it. One-line operations on it run on
/// that device by default. Plans and kernels use `Tiles`.
template <class Executor, tile_set Tiles> class placed_tiles : public Tiles {
 public:
  using executor_type = Executor;

  placed_tiles(const Executor& exec, const Tiles& tiles) : Tiles(tiles), exec_(exec) {}

  const Executor& executor() const { return exec_; }
  const Tiles& plain() const { return *this; }

 private:
  Executor exec_;
};

/// A tile set with an executor.
template <class T>
concept placed_tile_set = tile_set<T> && requires(const T& tiles) {
  tiles.executor();
  tiles.plain();
};

namespace detail {

/// Returns the tiles without the executor.
template <tile_set Tiles> const Tiles& plain_tiles(const Tiles& tiles) { return tiles; }
template <placed_tile_set Tiles> const auto& plain_tiles(const Tiles& tiles) { return tiles.plain(); }

/// Returns `tiles` of `owner`, with its executor if that is a device.
template <class Owner, tile_set Tiles> auto tiles_where(const Owner& owner, const Tiles& tiles) {
  if constexpr (requires { requires !Owner::executor_type::on_host; })
    return placed_tiles<typename Owner::executor_type, Tiles>(owner.executor(), tiles);
  else
    return tiles;
}

} // namespace detail

// ---------------------------------------------------------------------------------------------------------------------
// Tile sources: problems with known tile sizes and unknown offsets. make_plan sums the sizes up, on the
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
// If only the executor knows the number of tiles, the source states the maximum, as a tile set does;
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
    detail::require_number("capacity.tiles", max_size.tiles, count_on_host<Tile>::max);
    detail::require_number("capacity.atoms", max_size.atoms, std::numeric_limits<std::int64_t>::max());
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
