// SPDX-License-Identifier: Apache-2.0
// Checks the laws of tile sets (work/tile_set.hpp) on the executor, in one pass, which finds the atoms too.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

/// The data that the host reads back from inspect_tiles.
template <tile_set Tiles> struct inspection {
  std::int64_t first_bad; ///< the first tile that breaks a law of tile_set.hpp; or the initial value, no_tile
  atom_type<Tiles> first;
  atom_type<Tiles> last;
  atom_type<Tiles> bad_begin;
  atom_type<Tiles> bad_end;
};
inline constexpr std::int64_t no_tile = std::numeric_limits<std::int64_t>::max();

template <tile_set Tiles> struct inspect_tiles {
  Tiles tiles;
  std::int64_t tiles_per_block;
  inspection<Tiles>* result;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    using tile = tile_type<Tiles>;
    const std::int64_t first = block.index() * tiles_per_block;
    const std::int64_t last = smaller<std::int64_t>(first + tiles_per_block, tiles.tiles());
    std::int64_t bad = no_tile;
    for (std::int64_t i = first + block.rank(); i < last; i += block.size()) {
      const auto t = static_cast<tile>(i);
      const auto begin = tiles.begin(t);
      const auto end = tiles.end(t);
      const bool good = begin >= 0 && begin <= end && (i + 1 == tiles.tiles() || end == tiles.begin(t + 1));
      if (!good) bad = smaller(bad, i);
    }
    if (bad != no_tile) atomic_ref(result->first_bad).fetch_min(bad);
  }
};

/// Copies the data for the message, by one thread, after all of inspect_tiles is done.
template <tile_set Tiles> struct inspect_ends {
  Tiles tiles;
  inspection<Tiles>* result;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    using tile = tile_type<Tiles>;
    if (block.rank() != 0) return;
    result->first = tiles.begin(0);
    result->last = tiles.end(static_cast<tile>(tiles.tiles() - 1));
    if (result->first_bad == no_tile) return;
    result->bad_begin = tiles.begin(static_cast<tile>(result->first_bad));
    result->bad_end = tiles.end(static_cast<tile>(result->first_bad));
  }
};

template <tile_set Tiles> std::string describe_bad_tile(const inspection<Tiles>& seen) {
  if constexpr (requires { Tiles::describe(seen.first_bad, seen.bad_begin, seen.bad_end); }) {
    return Tiles::describe(seen.first_bad, seen.bad_begin, seen.bad_end);
  } else {
    return detail::concat("tile ", seen.first_bad, " has atoms [", seen.bad_begin, ", ", seen.bad_end,
                          "): tiles must begin at 0 or later, not end before they begin, and "
                          "follow each other without gaps");
  }
}

/// A pass over begin and end.
template <class Executor, tile_set Tiles>
extent<Tiles> inspect_offsets(const Executor& exec, const Tiles& tiles) {
  if (tiles.tiles() == 0) return {};
  inspection<Tiles> seen{};
  seen.first_bad = no_tile;
  const auto result = make_buffer<inspection<Tiles>>(exec, 1);
  exec.copy_from_host(result.data(), &seen, sizeof(seen));
  const std::int64_t per_block = items_per_block(exec, tiles.tiles(), 1024);
  launch(exec, {block_count(tiles.tiles(), per_block), 256},
         inspect_tiles<Tiles>{tiles, per_block, result.data()});
  launch(exec, {1, 1}, inspect_ends<Tiles>{tiles, result.data()});
  exec.copy_to_host(&seen, result.data(), sizeof(seen));
  if (seen.first_bad != no_tile) throw invalid_argument(describe_bad_tile<Tiles>(seen));
  return {seen.first, static_cast<std::int64_t>(seen.last) - seen.first};
}

/// Checks the laws of tile_set.hpp and returns the range of atoms. Synchronises. One coalesced pass over the offsets,
/// unless the tile set has its own check. Requires tiles() >= 0.
template <class Executor, tile_set Tiles> extent<Tiles> inspect(const Executor& exec, const Tiles& tiles) {
  if constexpr (requires { require_laws(exec, tiles); }) {
    require_laws(exec, tiles);
    return {tiles.first_atom(), tiles.atoms()};
  } else {
    return inspect_offsets(exec, tiles);
  }
}

} // namespace detail

} // namespace evenly
