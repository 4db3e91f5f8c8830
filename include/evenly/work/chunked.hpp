// SPDX-License-Identifier: Apache-2.0
// chunked: tiles cut into pieces of at most K atoms. Pieces are short for every tile set, under a schedule that gives
// each piece to one team.
//
// Atoms keep their numbers. The pieces of tile t are consecutive, from first_piece(t) on; all except the last have K
// atoms. An empty tile has no piece. Only the executor knows the number of pieces, when a plan is made: at most atoms /
// K + tiles.
//
// pieces() is itself a tile set: its tiles are the original tiles, its atoms are the pieces. reduce_tiles over it
// combines the results that reduce_tiles over the pieces has stored, for empty tiles too.
#pragma once

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
#include "evenly/work/detail/first_fault.hpp"
#include "evenly/work/scanned.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The number of pieces of each tile, as a source of sizes.
template <tile_set Tiles> class piece_counts {
 public:
  using tile_type = evenly::tile_type<Tiles>;
  using atom_type = tile_type;

  piece_counts() = default;
  piece_counts(const Tiles& tiles, std::int64_t atoms_of_piece, std::int64_t max_pieces)
      : tiles_(tiles), atoms_of_piece_(atoms_of_piece), max_pieces_(max_pieces) {}

  EVENLY_FN constexpr tile_type tiles() const { return tiles_.tiles(); }
  EVENLY_FN constexpr tile_type size(tile_type t) const {
    const std::int64_t atoms = larger<std::int64_t>(tiles_.end(t) - tiles_.begin(t), 0);
    return static_cast<tile_type>(smaller(ceil_div(atoms, atoms_of_piece_), max_pieces_));
  }
  tile_type max_tiles() const
  requires sized_on_device<Tiles>
  {
    return tiles_.max_tiles();
  }
  EVENLY_FN std::int64_t max_atoms() const { return max_pieces_; }

  EVENLY_FN constexpr const Tiles& of() const { return tiles_; }
  EVENLY_FN constexpr std::int64_t atoms_of_piece() const { return atoms_of_piece_; }

 private:
  Tiles tiles_{};
  std::int64_t atoms_of_piece_ = 1;
  std::int64_t max_pieces_ = 0;
};

/// The pieces. tiles, begin, end and parent cost one load each.
template <tile_set Tiles> class chunked_tile_set {
 public:
  using tile_type = evenly::tile_type<Tiles>;
  using atom_type = evenly::atom_type<Tiles>;
  using counts = piece_counts<Tiles>;

  chunked_tile_set() = default;
  chunked_tile_set(const scanned<counts>& pieces, const atom_type* begins, const tile_type* parents,
                   std::int64_t max_atoms)
      : pieces_(pieces), begins_(begins), parents_(parents), room_(detail::room_for_tiles(pieces.source())),
        max_atoms_(max_atoms) {}

  /// If there are more original tiles than stated, returns the maximum number of pieces plus 1.
  EVENLY_FN constexpr tile_type tiles() const {
    const tile_type tiles = pieces_.tiles();
    if (tiles < 0 || tiles > room_) return static_cast<tile_type>(pieces_.source().max_atoms() + 1);
    return pieces_.begin(tiles);
  }
  EVENLY_FN constexpr atom_type begin(tile_type piece) const { return read_only(begins_ + piece); }
  EVENLY_FN constexpr atom_type end(tile_type piece) const { return read_only(begins_ + piece + 1); }
  tile_type max_tiles() const { return static_cast<tile_type>(pieces_.source().max_atoms()); }
  std::int64_t max_atoms() const { return max_atoms_; }

  /// The original tile of a piece.
  EVENLY_FN constexpr tile_type parent(tile_type piece) const { return read_only(parents_ + piece); }
  /// The first piece of a tile; for an empty tile, that of the next.
  EVENLY_FN constexpr tile_type first_piece(tile_type tile) const { return pieces_.begin(tile); }
  /// The original tiles, as tiles of pieces.
  EVENLY_FN constexpr const scanned<counts>& pieces() const { return pieces_; }
  /// The original tiles.
  EVENLY_FN constexpr const Tiles& of() const { return pieces_.source().of(); }

 private:
  scanned<counts> pieces_{};
  const atom_type* begins_ = nullptr;
  const tile_type* parents_ = nullptr;
  std::int64_t room_ = 0; ///< the maximum number of original tiles
  std::int64_t max_atoms_ = 0;
};

/// The input of a plan: tiles, and the maximum number of atoms per piece.
template <tile_set Tiles> struct chunked_source {
  using scanned_type = chunked_tile_set<Tiles>;
  using tile_type = evenly::tile_type<Tiles>;
  using atom_type = evenly::atom_type<Tiles>;

  piece_counts<Tiles> counts;
  std::int64_t max_atoms;

  tile_type max_tiles() const { return static_cast<tile_type>(counts.max_atoms()); }
};

/// Returns the tiles cut into pieces of at most `atoms_of_piece` atoms.
///
/// - `max_atoms`: the number of atoms, or a bound.
/// - Throws invalid_argument if a number is out of range, or if there may be more pieces than the tile type can number.
template <tile_set Tiles>
chunked_source<Tiles> chunked(const Tiles& tiles, std::int64_t atoms_of_piece, std::int64_t max_atoms) {
  using tile = tile_type<Tiles>;
  require(atoms_of_piece >= 1,
          [&] { return detail::concat("atoms_of_piece = ", atoms_of_piece, ": must be at least 1"); });
  detail::require_number("max_atoms", max_atoms, std::numeric_limits<atom_type<Tiles>>::max());
  const std::int64_t max = count_on_host<tile>::max, full = max_atoms / atoms_of_piece;
  const std::int64_t parts = smaller<std::int64_t>(evenly::max_tiles(tiles), max_atoms);
  require(parts <= max && full <= max - parts, [&] {
    return detail::concat("pieces of ", atoms_of_piece, " atoms may be ", full, " + ", parts,
                          ": the tile type numbers ", max);
  });
  return {{tiles, atoms_of_piece, full + parts}, max_atoms};
}

/// The same for tiles that know the number of their atoms, or a bound.
template <tile_set Tiles> chunked_source<Tiles> chunked(const Tiles& tiles, std::int64_t atoms_of_piece) {
  static_assert(counted_on_host<Tiles> || sized_on_device<Tiles>,
                "the host does not know the number of atoms of these tiles: call chunked(tiles, "
                "atoms_of_piece, max_atoms)");
  if constexpr (sized_on_device<Tiles>)
    return chunked(tiles, atoms_of_piece, tiles.max_atoms());
  else if constexpr (counted_on_host<Tiles>)
    return chunked(tiles, atoms_of_piece, tiles.atoms());
}

namespace detail {

/// The arrays that a plan makes for pieces.
template <tile_set Tiles> struct chunked_memory {
  tile_type<Tiles>* pieces; ///< the first piece of each tile
  tile_type<Tiles>* parents;
  atom_type<Tiles>* begins;
  std::size_t bytes;

  chunked_memory(const chunked_source<Tiles>& source, std::byte* at) {
    bytes = 0;
    const auto take = [&](auto*& array, std::size_t elements) {
      if (at == nullptr) // computes the size only
        array = nullptr;
      else
        array = reinterpret_cast<std::remove_reference_t<decltype(array)>>(at + bytes);
      bytes += ceil_div(elements * sizeof(*array), std::size_t{64}) * 64;
    };
    const auto max = static_cast<std::size_t>(source.max_tiles());
    take(pieces, static_cast<std::size_t>(room_for_tiles(source.counts)) + 1);
    take(parents, max);
    take(begins, max + 1);
  }
};

/// Writes the parent and the begin of each piece. It searches the tile of each, with log2(tiles) loads.
template <tile_set Tiles> struct cut_pieces {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;

  scanned<piece_counts<Tiles>> pieces;
  tile* parents;
  atom* begins;
  std::int64_t room; ///< the maximum number of original tiles
  std::int64_t max_atoms;
  std::int64_t per_block;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    const std::int64_t tiles = pieces.tiles();
    const bool none = tiles <= 0 || tiles > room;
    const std::int64_t count =
        none ? 0 : smaller<std::int64_t>(pieces.begin(static_cast<tile>(tiles)), pieces.source().max_atoms());
    const std::int64_t begin = block.index() * per_block, end = smaller(begin + per_block, count + 1);
    for (std::int64_t i = begin + block.rank(); i < end; i += block.size()) {
      const auto piece = static_cast<tile>(i);
      if (none)
        begins[0] = 0;
      else if (i == count)
        begins[piece] = within(of().end(static_cast<tile>(tiles - 1)));
      else
        cut(piece);
    }
  }

 private:
  EVENLY_FN const Tiles& of() const { return pieces.source().of(); }
  EVENLY_FN void cut(tile piece) const {
    const tile parent = pieces.tile_of(piece);
    parents[piece] = parent;
    const std::int64_t rank = piece - pieces.begin(parent);
    begins[piece] = within(of().begin(parent) + rank * pieces.source().atoms_of_piece());
  }
  /// An atom's number, limited to one more than the maximum number of atoms.
  EVENLY_FN atom within(std::int64_t at) const {
    const std::int64_t first = of().begin(0);
    return static_cast<atom>(at - first > max_atoms ? first + max_atoms + 1 : at);
  }
};

/// Whether the original tiles keep the laws of tile_set.hpp.
template <tile_set Tiles> struct check_tiles {
  struct report {
    std::int64_t at, begin, end, first, last, tiles;
  };

  Tiles tiles;
  std::int64_t room; ///< the maximum number of tiles

  EVENLY_FN std::int64_t count() const {
    const std::int64_t count = tiles.tiles();
    return count < 0 || count > room ? 0 : count;
  }
  EVENLY_FN bool bad(std::int64_t i) const {
    const auto t = static_cast<tile_type<Tiles>>(i);
    const auto begin = tiles.begin(t), end = tiles.end(t);
    return begin < 0 || begin > end || (i + 1 < count() && end != tiles.begin(t + 1));
  }
  EVENLY_FN report report_of(std::int64_t at) const {
    report seen{at, 0, 0, 0, 0, tiles.tiles()};
    if (count() == 0) return seen;
    seen.first = tiles.begin(0);
    seen.last = tiles.end(static_cast<tile_type<Tiles>>(count() - 1));
    if (at == no_fault) return seen;
    seen.begin = tiles.begin(static_cast<tile_type<Tiles>>(at));
    seen.end = tiles.end(static_cast<tile_type<Tiles>>(at));
    return seen;
  }
};

} // namespace detail

/// The functions for plans (tile_set.hpp).
template <tile_set Tiles> std::size_t scan_bytes(const chunked_source<Tiles>& source) {
  return detail::chunked_memory<Tiles>(source, nullptr).bytes;
}
template <class Executor, tile_set Tiles>
workspace::sizes scan_room(const Executor& exec, const chunked_source<Tiles>& source, std::int64_t tiles) {
  return scan_room(exec, source.counts, tiles);
}
template <class Executor, tile_set Tiles>
chunked_tile_set<Tiles> scan_source(const Executor& exec, const chunked_source<Tiles>& source,
                                    std::byte* memory, workspace& scratch) {
  const detail::chunked_memory<Tiles> at(source, memory);
  const auto pieces = scan_sizes(exec, source.counts, at.pieces, scratch);
  const std::int64_t max = source.max_tiles() + std::int64_t{1};
  const std::int64_t per_block = items_per_block(exec, max, 1024);
  launch(exec, {block_count(max, per_block), 256},
         detail::cut_pieces<Tiles>{pieces, at.parents, at.begins, detail::room_for_tiles(source.counts),
                                   source.max_atoms, per_block});
  return {pieces, at.begins, at.parents, source.max_atoms};
}
/// Throws invalid_argument if the original tiles break a law, or have more atoms than stated.
template <class Executor, tile_set Tiles>
std::int64_t inspect_source(const Executor& exec, const chunked_tile_set<Tiles>& pieces) {
  const std::int64_t room = detail::room_for_tiles(pieces.pieces().source());
  const auto seen = detail::first_fault(exec, detail::check_tiles<Tiles>{pieces.of(), room}, room);
  detail::require_stated(seen.tiles, room);
  require(seen.at == detail::no_fault, [&] {
    return detail::concat(
        "tile ", seen.at, " has atoms [", seen.begin, ", ", seen.end,
        "): tiles must begin at 0 or later, not end before they begin, and follow each other without gaps");
  });
  require(seen.last - seen.first <= pieces.max_atoms(), [&] {
    return detail::concat("the tiles have ", seen.last - seen.first,
                          " atoms: must be at most max_atoms = ", pieces.max_atoms());
  });
  return seen.last - seen.first;
}

} // namespace evenly
