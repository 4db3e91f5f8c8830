// SPDX-License-Identifier: Apache-2.0
// Pieces: tiles too long for a team are cut into equal pieces, one per block. This is common to schedules that treat
// long tiles separately. A table names, for each piece, its tile and its number within the tile.
//
// Cost: when planning, a scan over the long tiles and a search in it per piece; in a run, one more read per block. The
// table takes 8 bytes per piece (16 if tiles are numbered with 64 bits).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Piece `number` of a tile, counted from 0.
template <class Tile> struct piece_place {
  Tile tile;
  int number;
};

/// The pieces of a mapping; those of one tile are consecutive.
template <tile_set Tiles> struct piece_table {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  const piece_place<tile>* places = nullptr;
  std::int64_t atoms_per_piece = 1;
  int count = 0;

  EVENLY_FN piece_part<Tiles> part(const Tiles& tiles, int piece) const {
    const piece_place<tile> place = counted_load(places + piece);
    const atom tile_begin = tiles.begin(place.tile);
    const atom tile_end = tiles.end(place.tile);
    const auto begin = static_cast<atom>(tile_begin + place.number * atoms_per_piece);
    const bool last = tile_end - begin <= atoms_per_piece;
    const atom end = last ? tile_end : static_cast<atom>(begin + atoms_per_piece);
    return {tiles, place.tile, begin, end, place.number == 0, last};
  }
};

namespace detail {

template <tile_set Tiles> struct pieces_of_tile {
  Tiles tiles;
  std::int64_t atoms_per_piece;
  const tile_type<Tiles>* list;

  EVENLY_FN std::int64_t operator()(std::int64_t i) const {
    const tile_type<Tiles> t = list[i];
    return ceil_div(static_cast<std::int64_t>(tiles.end(t) - tiles.begin(t)), atoms_per_piece);
  }
};

template <class Tile> struct place_of_piece {
  const Tile* list;
  std::int64_t count;
  const std::int64_t* starts; ///< the number of the first piece of each of the list's tiles

  EVENLY_FN piece_place<Tile> operator()(std::int64_t piece) const {
    const auto i = first_past<std::int64_t>(0, count, [&](std::int64_t k) { return starts[k + 1] > piece; });
    return {list[i], static_cast<int>(piece - starts[i])};
  }
};

} // namespace detail

/// Cuts the tiles list[0], ... list[count - 1], none of them empty, into pieces of `atoms_per_piece` atoms, in the
/// order of the list. `list` is in memory of `exec`. Returns the table and the memory that it points into.
/// Synchronises.
template <class Executor, tile_set Tiles>
std::pair<piece_table<Tiles>, buffer<piece_place<tile_type<Tiles>>>>
cut_into_pieces(const Executor& exec, const Tiles& tiles, const tile_type<Tiles>* list, std::int64_t count,
                std::int64_t atoms_per_piece) {
  using place = piece_place<tile_type<Tiles>>;
  if (count == 0) return {};
  const auto starts = make_buffer<std::int64_t>(exec, static_cast<std::size_t>(count) + 1);
  tabulate(exec, count, detail::pieces_of_tile<Tiles>{tiles, atoms_per_piece, list}, starts.data());
  exec.fill_zero(starts.data() + count, sizeof(std::int64_t));
  exclusive_scan(exec, starts.data(), count + 1, plus<std::int64_t>{}, starts.data());
  std::int64_t total = 0;
  exec.copy_to_host(&total, starts.data() + count, sizeof(total));
  const int pieces = block_count(total, 1);
  auto places = make_buffer<place>(exec, static_cast<std::size_t>(pieces));
  tabulate(exec, pieces, detail::place_of_piece<tile_type<Tiles>>{list, count, starts.data()}, places.data());
  return {piece_table<Tiles>{places.data(), atoms_per_piece, pieces}, std::move(places)};
}

} // namespace evenly
