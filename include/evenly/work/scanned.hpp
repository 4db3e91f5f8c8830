// SPDX-License-Identifier: Apache-2.0
// scanned: the tile set of a source of sizes (tile_set.hpp). It consists of the source and the begin of each tile's
// atoms, from an exclusive scan of the sizes.
//
// Offsets saturate at the maximum of their type, or at one more than the stated maximum of atoms. Negative sizes count
// as 0. begin and end therefore keep the laws of tile_set.hpp for any result of the source; inspect_source finds the
// errors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/detail/counted_pass.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/work/detail/first_fault.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// begin and end cost one load each.
template <sized_source Source> class scanned {
 public:
  using tile_type = typename Source::tile_type;
  using atom_type = typename Source::atom_type;

  scanned() = default;
  /// `offsets`: tiles + 1 values, as scan_sizes writes them.
  EVENLY_FN constexpr scanned(const Source& source, const atom_type* offsets)
      : source_(source), offsets_(offsets) {}

  EVENLY_FN constexpr tile_type tiles() const { return source_.tiles(); }
  EVENLY_FN constexpr atom_type begin(tile_type t) const { return read_only(offsets_ + t); }
  EVENLY_FN constexpr atom_type end(tile_type t) const { return read_only(offsets_ + t + 1); }
  /// The bounds that the host knows, for a source counted on the executor.
  constexpr tile_type max_tiles() const
  requires counted_on_device<Source>
  {
    return source_.max_tiles();
  }
  constexpr std::int64_t max_atoms() const
  requires counted_on_device<Source>
  {
    return source_.max_atoms();
  }

  EVENLY_FN constexpr const Source& source() const { return source_; }
  EVENLY_FN constexpr const atom_type* offsets() const { return offsets_; }

  /// For lists of tiles: the tile of the other set.
  EVENLY_FN constexpr auto source(tile_type t) const
  requires requires(const Source& s) { s.source(t); }
  {
    return source_.source(t);
  }
  /// For lists of tiles: the atom of the other set. One load if begin(t) is known.
  EVENLY_FN constexpr auto source_atom(tile_type t, atom_type a) const
  requires requires(const Source& s) { s.source_begin(t); }
  {
    const auto first = source_.source_begin(t);
    return static_cast<std::remove_const_t<decltype(first)>>(first + (a - begin(t)));
  }
  /// The same if the atom's tile is unknown: searches it. log2(tiles) loads.
  EVENLY_FN constexpr auto source_atom(atom_type a) const
  requires requires(const Source& s, tile_type t) { s.source_begin(t); }
  {
    return source_atom(tile_of(a), a);
  }
  /// The tile of an atom. log2(tiles) loads.
  EVENLY_FN constexpr tile_type tile_of(atom_type a) const {
    return first_past(tile_type{0}, tiles(), [&](tile_type t) { return end(t) > a; });
  }

 private:
  Source source_{};
  const atom_type* offsets_ = nullptr;
};

namespace detail {

/// Adds numbers in [0, limit] and saturates at `limit`.
template <class T> struct sum_up_to {
  using value_type = T;
  T limit;
  EVENLY_FN constexpr T identity() const { return 0; }
  EVENLY_FN constexpr T operator()(T a, T b) const { return b > limit - a ? limit : static_cast<T>(a + b); }
};

/// Returns the number of tiles of a source, or its maximum.
template <sized_source Source> std::int64_t room_for_tiles(const Source& source) {
  if constexpr (counted_on_device<Source>)
    return source.max_tiles();
  else
    return source.tiles();
}
/// Returns the maximum number of atoms of a source.
template <sized_source Source> std::int64_t room_for_atoms(const Source& source) {
  constexpr std::int64_t max = std::numeric_limits<typename Source::atom_type>::max();
  if constexpr (requires { source.max_atoms(); })
    return smaller<std::int64_t>(source.max_atoms(), max);
  else
    return max;
}

/// The sizes of a source's tiles as the input of a scan, each limited to [0, limit].
template <sized_source Source> struct sizes_of {
  using atom = typename Source::atom_type;
  Source source;
  atom limit;
  std::int64_t room; ///< the maximum number of tiles

  /// The number of tiles with offsets, at most `room`.
  EVENLY_FN std::int64_t tiles() const { return smaller(larger<std::int64_t>(source.tiles(), 0), room); }
  EVENLY_FN atom operator[](std::int64_t i) const {
    if (i >= tiles()) return 0;
    const atom size = source.size(static_cast<typename Source::tile_type>(i));
    return size < 0 ? 0 : smaller(size, limit);
  }
};

template <sized_source Source>
using scan_of_sizes = scan_kernel<false, 1, sizes_of<Source>, typename Source::atom_type*,
                                  sum_up_to<typename Source::atom_type>>;

/// The number of elements of a scan of the sizes.
template <sized_source Source> struct count_of_offsets {
  sizes_of<Source> sizes;
  EVENLY_FN std::int64_t operator()() const { return sizes.tiles() + 1; }
};

} // namespace detail

/// Writes the offsets of a source's tiles, tiles + 1 of them, and returns the tile set.
///
/// - `offsets`: on `exec`, with room for the maximum number of tiles + 1.
/// - `memory`: grows as for exclusive_scan, once per capacity.
/// - One pass. Asynchronous on cuda; reads nothing back.
template <class Executor, sized_source Source>
scanned<Source> scan_sizes(const Executor& exec, const Source& source, typename Source::atom_type* offsets,
                           workspace& memory) {
  using atom = typename Source::atom_type;
  using sizes = detail::sizes_of<Source>;
  using sum = detail::sum_up_to<atom>;
  using scan = detail::scan_of_sizes<Source>;
  const std::int64_t tiles = detail::room_for_tiles(source);
  require(tiles >= 0, [&] { return detail::concat("tiles = ", tiles, ": must not be negative"); });
  const std::int64_t max = detail::room_for_atoms(source);
  const atom limit = static_cast<atom>(max < std::numeric_limits<atom>::max() ? max + 1 : max);
  const sizes in{source, limit, tiles};
  if constexpr (!counted_on_device<Source>) {
    exclusive_scan(exec, in, tiles + 1, sum{limit}, offsets, memory);
  } else {
    const std::int64_t chunk_size = detail::scan_chunk<Executor, scan>(scan::tuned_block_size);
    const std::int64_t chunks = ceil_div(tiles + 1, chunk_size);
    workspace::lease lease(memory);
    const auto sequence = look_back<atom>::in(exec, lease, chunks);
    const scan all{in, offsets, tiles + 1, sum{limit}, chunk_size, sequence};
    launch_persistent(exec,
                      detail::counted_pass<scan, detail::count_of_offsets<Source>>{all, {in}, chunk_size},
                      chunks, scan::tuned_block_size);
  }
  return {source, offsets};
}

/// The workspace that scan_sizes takes, for all sources of at most `tiles` tiles.
template <class Executor, sized_source Source>
workspace::sizes scan_room(const Executor&, const Source& source, std::int64_t tiles) {
  using scan = detail::scan_of_sizes<Source>;
  const std::int64_t chunk_size = detail::scan_chunk<Executor, scan>(scan::tuned_block_size);
  return {look_back<typename Source::atom_type>::bytes(
              ceil_div(larger(tiles, detail::room_for_tiles(source)) + 1, chunk_size)),
          0};
}

/// The functions for plans (tile_set.hpp).
template <sized_source Source> std::size_t scan_bytes(const Source& source) {
  return (static_cast<std::size_t>(detail::room_for_tiles(source)) + 1) * sizeof(typename Source::atom_type);
}
template <class Executor, sized_source Source>
scanned<Source> scan_source(const Executor& exec, const Source& source, std::byte* memory,
                            workspace& scratch) {
  return scan_sizes(exec, source, reinterpret_cast<typename Source::atom_type*>(memory), scratch);
}

namespace detail {

/// Throws invalid_argument unless the number of tiles counted on the executor is in [0, room].
inline void require_stated(std::int64_t tiles, std::int64_t room) {
  require(tiles >= 0 && tiles <= room, [&] {
    return detail::concat("count = ", tiles, ": must be from 0 to ", room, ", the capacity in tiles");
  });
}

/// Whether the offsets of a scanned set agree with its source.
template <sized_source Source> struct check_sizes {
  using tile = typename Source::tile_type;
  /// The report to the host: about tile `at`, if it is bad, and about all tiles.
  struct report {
    std::int64_t at, entry, size, begin, stated, atoms;
  };

  scanned<Source> tiles;
  std::int64_t room; ///< the maximum number of tiles
  std::int64_t max;  ///< the maximum number of atoms

  EVENLY_FN std::int64_t count() const { return smaller(larger<std::int64_t>(tiles.tiles(), 0), room); }
  EVENLY_FN bool bad(std::int64_t i) const {
    const auto t = static_cast<tile>(i);
    if constexpr (requires { tiles.source().valid(t); })
      if (!tiles.source().valid(t)) return true;
    const auto size = tiles.source().size(t);
    return size < 0 || tiles.end(t) - tiles.begin(t) != size || tiles.end(t) > max;
  }
  EVENLY_FN report report_of(std::int64_t at) const {
    report seen{at, 0, 0, 0, tiles.tiles(), tiles.begin(static_cast<tile>(count()))};
    if constexpr (requires { tiles.source().stated_tiles(); }) seen.stated = tiles.source().stated_tiles();
    if (at == no_fault) return seen;
    const auto t = static_cast<tile>(at);
    if constexpr (requires { tiles.source().entry(t); }) seen.entry = tiles.source().entry(t);
    seen.size = tiles.source().size(t);
    seen.begin = tiles.begin(t);
    return seen;
  }
};

} // namespace detail

/// Returns the number of atoms of a scanned set. Waits for the executor. Cost: a pass over source and offsets.
///
/// Throws invalid_argument, naming the first fault: if an entry of the source breaks a law, if there are more tiles or
/// atoms than stated, or if there are more atoms than their type can count.
template <class Executor, sized_source Source>
std::int64_t inspect_source(const Executor& exec, const scanned<Source>& tiles) {
  using check = detail::check_sizes<Source>;
  const Source& source = tiles.source();
  const std::int64_t room = detail::room_for_tiles(source), max = detail::room_for_atoms(source);
  const typename check::report seen = detail::first_fault(exec, check{tiles, room, max}, room);
  detail::require_stated(seen.stated, room);
  if (seen.at == detail::no_fault) return seen.atoms;
  const bool overflows = seen.size >= 0 && seen.size > max - seen.begin;
  if constexpr (requires { Source::describe(seen.at, seen.entry, seen.size); })
    require(overflows, [&] { return Source::describe(seen.at, seen.entry, seen.size); });
  require(overflows, [&] {
    return detail::concat("tile ", seen.at, " has ", seen.size, " atoms: sizes must not be negative");
  });
  throw invalid_argument("tiles 0 to " + std::to_string(seen.at) + " have more atoms than " +
                         (counted_on_device<Source> ? "there is room for" : "their type can count") + ", " +
                         std::to_string(max));
}

} // namespace evenly
