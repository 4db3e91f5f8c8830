// SPDX-License-Identifier: Apache-2.0
// Coordinates: each entry of a matrix has its row, column and value, in three arrays. An atom is an entry; its number
// is its place in the arrays.
//
// Source: Bell & Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented processors", SC
// 2009, section 3.4.
//
//   coo_row_tiles(rows, count)   tile = row, for entries sorted by row. There are no offsets: the begin and end of a
//                                row are searched among the entries' rows. Rows without entries are empty tiles
//   coo_entry_tiles(count)       tile = entry, in any order; its value is added atomically to others
//
// Cost for N entries:
//                                begin, end                tile_of(atom)
//   coo_row_tiles                log2(N) + 1 loads each    one load
//   coo_entry_tiles              nothing                   nothing
//
// Schedules that share atoms use tile_of instead of a search (knows_tile_of in tile_set.hpp). Schedules of teams need
// begin and end of every tile; csr_tiles are faster for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/block/search.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/detail/first_fault.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Rows, as tiles of entries with their rows: entry a is in row rows[a], and rows do not decrease.
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
  /// Whether both are views of the same rows in memory.
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

/// Returns the rows of a matrix of `count` rows whose entries are sorted by row: entry a is in row rows[a], counted
/// from 0.
///
/// - `rows`: in memory that the executor can read; it outlives the tile set. A temporary is accepted only if it is
///   itself a view, as std::span is.
/// - `Atom`: the atom type, if there are more entries than the type of `rows` can count:
///   coo_row_tiles<std::int64_t>(rows, count).
/// - Throws invalid_argument if `rows` is null, if there are too many entries to count, or if `count` is negative, too
///   large to number, or 0 with entries. make_plan checks that entries are sorted.
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

/// Returns `count` entries, each a tile. Throws invalid_argument if `count` is negative or more than Index can number.
template <signed_of_32_or_64_bits Index> coo_entry_tile_set<Index> coo_entry_tiles(Index count) {
  detail::require_number("count", count, count_on_host<Index>::max);
  return coo_entry_tile_set<Index>(count);
}

namespace detail {

/// Whether entries are sorted by row, and their rows exist.
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
  EVENLY_FN report report_of(std::int64_t at) const {
    if (at == no_fault) return {at, 0, 0};
    return {at, tiles.tile_of(static_cast<Atom>(at)), row_before(at)};
  }
};

} // namespace detail

/// The check of make_plan for the laws (tile_set.hpp): one coalesced pass over the rows of the entries, instead of a
/// search per row. Waits. Throws invalid_argument, naming the first entry that is not sorted by row or has no valid
/// row.
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
