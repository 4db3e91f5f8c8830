// SPDX-License-Identifier: Apache-2.0
// Coordinates: each entry of a matrix has its row, its column and its value, in three arrays (Bell & Garland,
// "Implementing sparse matrix-vector multiplication on throughput-oriented processors", SC 2009, section 3.4). An atom
// is an entry, and its number its place in the arrays.
//
//   coo_row_tiles(rows, count)   tile = row, of entries sorted by row. There are no offsets: where a row begins and
//                                ends is searched among the entries' rows; rows without entries are empty tiles
//   coo_entry_tiles(count)       tile = entry, in any order, whose value is added to what others add to
//
//   of N entries                 begin, end                tile_of(atom)
//   coo_row_tiles                log2(N) + 1 loads each    a load
//   coo_entry_tiles              nothing                   nothing
// Schedules that share atoms ask for tile_of where other tiles are searched (knows_tile_of in tile_set.hpp). Where
// begin and end of every tile are asked for, as teams do, csr_tiles are quicker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/detail/kept_array.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/detail/first_fault.hpp"
#include "evenly/work/tile_set.hpp"
#include "evenly/work/tile_source.hpp"

namespace evenly {

/// Rows, as tiles of entries of which each has its row: entry a is in row rows[a], and rows do not decrease.
template <signed_of_32_or_64_bits Atom = int, signed_of_32_or_64_bits Row = int> class coo_row_tile_set {
 public:
  using tile_type = Row;
  using atom_type = Atom;
  static constexpr bool tile_of_is_quick = true;

  coo_row_tile_set() = default;
  EVENLY_FN constexpr coo_row_tile_set(const Row* rows, Atom entries, Row tiles)
      : rows_(rows), entries_(entries), tiles_(tiles) {}

  EVENLY_FN constexpr Row tiles() const { return tiles_; }
  EVENLY_FN constexpr Atom begin(Row t) const {
    return first_past(Atom{0}, entries_, [&](Atom a) { return tile_of(a) >= t; });
  }
  EVENLY_FN constexpr Atom end(Row t) const {
    return first_past(Atom{0}, entries_, [&](Atom a) { return tile_of(a) > t; });
  }
  EVENLY_FN constexpr Row tile_of(Atom a) const { return read_only(rows_ + a); }
  EVENLY_FN constexpr Atom first_atom() const { return 0; }
  EVENLY_FN constexpr std::int64_t atoms() const { return entries_; }
  /// Whether both are views of the same rows, at one place.
  constexpr bool operator==(const coo_row_tile_set&) const = default;

 private:
  const Row* rows_ = nullptr;
  Atom entries_ = 0;
  Row tiles_ = 0;
};

static_assert(counted_on_host<coo_row_tile_set<int>> && knows_tile_of<coo_row_tile_set<std::int64_t, int>>);

/// Entries, each a tile of one atom. begin, end and tile_of load nothing.
template <signed_of_32_or_64_bits Index = int> class coo_entry_tile_set {
 public:
  using tile_type = Index;
  using atom_type = Index;
  static constexpr bool tile_of_is_quick = true;

  coo_entry_tile_set() = default;
  EVENLY_FN constexpr explicit coo_entry_tile_set(Index entries) : entries_(entries) {}

  EVENLY_FN constexpr Index tiles() const { return entries_; }
  EVENLY_FN constexpr Index begin(Index t) const { return t; }
  EVENLY_FN constexpr Index end(Index t) const { return t + 1; }
  EVENLY_FN constexpr Index tile_of(Index a) const { return a; }
  EVENLY_FN constexpr Index first_atom() const { return 0; }
  EVENLY_FN constexpr std::int64_t atoms() const { return entries_; }

 private:
  Index entries_ = 0;
};

static_assert(counted_on_host<coo_entry_tile_set<int>> && knows_tile_of<coo_entry_tile_set<std::int64_t>>);

/// The rows of a matrix of `count` rows whose entries are sorted by row: entry a is in row rows[a], from 0 on. The
/// array lies where the executor can read it and outlives the tile set: a temporary is taken only if it is a view
/// itself, as std::span is. coo_row_tiles<std::int64_t>(rows, count): with atoms of that type, where there are more
/// entries than the type of their rows can count. Throws invalid_argument if the rows are at a null pointer, the
/// entries more than can be counted, or `count` negative, more than can be numbered, or 0 where there are entries.
/// make_plan looks whether they are sorted.
template <class Atom = void, detail::array_like Rows> auto coo_row_tiles(Rows&& rows, std::int64_t count) {
  static_assert(detail::outlives_call<Rows>, "coo_row_tiles keeps a view of the rows: store them in a "
                                             "variable, because a temporary ends with this statement");
  const auto values = detail::elements_of("rows", std::as_const(rows));
  using row = typename decltype(values)::value_type;
  static_assert(signed_of_32_or_64_bits<row>,
                "the rows of entries must be signed integers of 32 or 64 bits, such as int and std::int64_t");
  using atom = std::conditional_t<std::is_void_v<Atom>, row, Atom>;
  using made = coo_row_tile_set<atom, row>;
  detail::require_number("count", count, count_on_host<row>::max);
  require(values.size() <= static_cast<std::size_t>(std::numeric_limits<atom>::max()), [&] {
    return detail::concat(values.size(), " entries overflow the atom type: use coo_row_tiles<std::int64_t>");
  });
  require(count > 0 || values.empty(),
          [&] { return detail::concat("a matrix of 0 rows cannot have ", values.size(), " entries"); });
  return made(values.data(), static_cast<atom>(values.size()), static_cast<row>(count));
}

/// `count` entries, each a tile. Throws invalid_argument if they are fewer than 0, or more than Index can number.
template <signed_of_32_or_64_bits Index> coo_entry_tile_set<Index> coo_entry_tiles(Index count) {
  detail::require_number("count", count, count_on_host<Index>::max);
  return coo_entry_tile_set<Index>(count);
}

namespace detail {

/// Whether entries are sorted by row, and in rows that there are.
template <class Atom, class Row> struct check_rows {
  struct report {
    std::int64_t at, row, before;
  };

  coo_row_tile_set<Atom, Row> tiles;

  EVENLY_FN std::int64_t count() const { return tiles.atoms(); }
  EVENLY_FN Row row_before(std::int64_t i) const {
    return i == 0 ? Row{0} : tiles.tile_of(static_cast<Atom>(i - 1));
  }
  EVENLY_FN bool bad(std::int64_t i) const {
    const Row row = tiles.tile_of(static_cast<Atom>(i));
    return row < 0 || row >= tiles.tiles() || row < row_before(i);
  }
  EVENLY_FN report tell(std::int64_t at) const {
    if (at == no_fault) return {at, 0, 0};
    return {at, tiles.tile_of(static_cast<Atom>(at)), row_before(at)};
  }
};

} // namespace detail

/// What make_plan does to check the laws (tile_set.hpp): one coalesced pass over the rows of the entries, instead of a
/// search for each row. Waits. Throws invalid_argument, naming the first entry that is not sorted by row, or in no row.
template <class Executor, class Atom, class Row>
void require_laws(const Executor& exec, const coo_row_tile_set<Atom, Row>& tiles) {
  const auto seen = detail::first_fault(exec, detail::check_rows<Atom, Row>{tiles}, tiles.atoms());
  const auto name = [](std::int64_t i) { return detail::concat("rows[", i, "]"); };
  require(seen.at == detail::no_fault || (seen.row >= 0 && seen.row < tiles.tiles()), [&] {
    return detail::concat(name(seen.at), " = ", seen.row, ": must be from 0 to ", tiles.tiles() - 1,
                          ", because there are ", tiles.tiles(), " rows");
  });
  require(seen.at == detail::no_fault, [&] {
    return detail::concat(name(seen.at), " = ", seen.row, " is less than ", name(seen.at - 1), " = ",
                          seen.before, ": entries must be sorted by row");
  });
}

} // namespace evenly
