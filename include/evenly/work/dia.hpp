// SPDX-License-Identifier: Apache-2.0
// Diagonals: all values of each stored diagonal, one per row. Tile = row, atom = entry of a stored diagonal inside the
// matrix. Array elements outside the matrix are padding and no atoms.
//
// Source: Bell & Garland, SC 2009, section 3.1.
//
// Diagonal d has the entries (row, row + diagonals[d]). Diagonals ascend, so those with an entry in a row are
// consecutive, and the atoms of a row are ordered by column. Nothing is stored per row: if all D diagonals pass through
// row t, there are D * t atoms before it, minus those that are outside the matrix in the first rows. Rows near the
// corners, which some diagonals do not reach, sum over the diagonals.
//
// Cost for D diagonals:
//                    rows with all diagonals             others
//   begin, end       a multiplication                    D loads
//   tile_of          a division                          log2(rows) times begin
//   diagonal         nothing                             log2(D) + 1 loads
//
// slot(row, diagonal) and column(row, diagonal) address the arrays. A map of (tile, atom, rank) has the arguments of
// diagonal(tile, rank).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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

/// Rows of a matrix with stored diagonals: dia_tiles. Atom numbers slots as well.
template <signed_of_32_or_64_bits Atom = int, signed_of_32_or_64_bits Tile = int> class dia_tile_set {
 public:
  using tile_type = Tile;
  using atom_type = Atom;

  dia_tile_set() = default;
  /// `diagonals`: in memory of the caller. `there`: a copy in memory of the executor.
  EVENLY_FN constexpr dia_tile_set(Tile rows, Tile columns, std::span<const Tile> diagonals,
                                   const Tile* there)
      : rows_(rows), columns_(columns), diagonals_(there), count_(static_cast<Atom>(diagonals.size())),
        last_full_(rows) {
    for (const Tile offset : diagonals) {
      const Tile first = first_row(offset), last = last_row(offset);
      first_full_ = larger(first_full_, first);
      last_full_ = smaller(last_full_, last);
      missing_ += static_cast<Atom>(first);
      atoms_ += last - first;
    }
  }

  EVENLY_FN constexpr Tile tiles() const { return rows_; }
  EVENLY_FN constexpr Atom begin(Tile t) const { return before(t); }
  EVENLY_FN constexpr Atom end(Tile t) const { return before(t + 1); }
  EVENLY_FN constexpr Atom first_atom() const { return 0; }
  EVENLY_FN constexpr std::int64_t atoms() const { return atoms_; }
  EVENLY_FN constexpr Tile tile_of(Atom a) const {
    if (first_full_ < last_full_ && a >= before(first_full_) && a < before(last_full_))
      return static_cast<Tile>((a + missing_) / count_);
    return first_past(Tile{0}, rows_, [&](Tile t) { return end(t) > a; });
  }

  /// Returns the number of the diagonal of entry `rank` of a row, counted from 0.
  EVENLY_FN constexpr Atom diagonal(Tile row, Atom rank) const {
    if (row >= first_full_) return rank;
    return rank + first_past(Atom{0}, count_, [&](Atom d) { return offset_of(d) >= -row; });
  }
  /// The place of a diagonal's entry in the values: the rows of a diagonal are contiguous, then the next diagonal
  /// follows.
  EVENLY_FN constexpr Atom slot(Tile row, Atom diagonal) const {
    return diagonal * static_cast<Atom>(rows_) + static_cast<Atom>(row);
  }
  /// The column of that entry. One load.
  EVENLY_FN constexpr Tile column(Tile row, Atom diagonal) const { return row + offset_of(diagonal); }

  /// Whether all diagonals have entries in rows [row, row + count).
  EVENLY_FN constexpr bool reaches_all(Tile row, Tile count) const {
    return row >= first_full_ && count <= last_full_ - row;
  }

  EVENLY_FN constexpr Tile columns() const { return columns_; }
  EVENLY_FN constexpr Atom diagonals() const { return count_; }
  /// The diagonals in memory of the executor.
  EVENLY_FN constexpr const Tile* there() const { return diagonals_; }
  /// Column - row of a diagonal. One load.
  EVENLY_FN constexpr Tile offset_of(Atom diagonal) const { return read_only(diagonals_ + diagonal); }
  /// Whether the executor's copy of the diagonals agrees with the counts made on the host. Runs on the executor.
  /// Requires that the diagonals ascend and lie in the matrix.
  EVENLY_FN constexpr bool are_counted() const {
    const dia_tile_set again(rows_, columns_, {diagonals_, static_cast<std::size_t>(count_)}, diagonals_);
    return again.first_full_ == first_full_ && again.last_full_ == last_full_ && again.missing_ == missing_ &&
           again.atoms_ == atoms_;
  }
  /// Whether both are views of the same diagonals in memory, for matrices of the same size.
  constexpr bool operator==(const dia_tile_set&) const = default;

 private:
  /// A diagonal has entries in rows [first_row, last_row).
  EVENLY_FN constexpr Tile first_row(Tile offset) const { return offset < 0 ? -offset : 0; }
  EVENLY_FN constexpr Tile last_row(Tile offset) const {
    return offset < columns_ - rows_ ? rows_ : columns_ - offset;
  }
  /// The number of atoms in rows before `row`; `row` may be the number of rows.
  EVENLY_FN constexpr Atom before(Tile row) const {
    if (row >= first_full_ && row <= last_full_) return count_ * static_cast<Atom>(row) - missing_;
    Atom atoms = 0;
    for (Atom d = 0; d < count_; ++d) {
      const Tile offset = offset_of(d), first = first_row(offset);
      if (row > first) atoms += static_cast<Atom>(smaller(row, last_row(offset)) - first);
    }
    return atoms;
  }

  Tile rows_ = 0;
  Tile columns_ = 0;
  const Tile* diagonals_ = nullptr; ///< in memory of the executor
  Atom count_ = 0;
  Tile first_full_ = 0; ///< all diagonals have entries in rows [first_full, last_full)
  Tile last_full_ = 0;
  Atom missing_ = 0; ///< how many more entries rows [0, first_full) would have if all diagonals passed them
  std::int64_t atoms_ = 0;
};

static_assert(counted_on_host<dia_tile_set<int>> &&
              counted_on_host<dia_tile_set<std::int64_t, std::int64_t>>);

namespace detail {

/// Throws invalid_argument unless diagonals ascend and lie in the matrix.
template <class Tile>
void require_diagonals(std::int64_t rows, std::int64_t columns, std::span<const Tile> diagonals) {
  const auto name = [&](std::size_t d) { return detail::concat("diagonals[", d, "] = ", diagonals[d]); };
  for (std::size_t d = 0; d < diagonals.size(); ++d) {
    require(diagonals[d] > -rows && diagonals[d] < columns && rows > 0 && columns > 0, [&] {
      return detail::concat(name(d), " has no entry in a matrix of ", rows, " rows and ", columns,
                            " columns");
    });
    require(d == 0 || diagonals[d] > diagonals[d - 1],
            [&] { return name(d) + " is not greater than " + name(d - 1) + ": diagonals must ascend"; });
  }
}

/// Whether an executor's copy of the diagonals can equal the host's.
template <class Atom, class Tile> struct check_diagonals {
  struct report {
    bool same;
  };

  dia_tile_set<Atom, Tile> tiles;

  EVENLY_FN std::int64_t count() const { return tiles.diagonals(); }
  EVENLY_FN bool bad(std::int64_t i) const {
    const auto d = static_cast<Atom>(i);
    const Tile offset = tiles.offset_of(d);
    return offset <= -tiles.tiles() || offset >= tiles.columns() ||
           (d > 0 && offset <= tiles.offset_of(d - 1));
  }
  EVENLY_FN report report_of(std::int64_t at) const { return {at == no_fault && tiles.are_counted()}; }
};

} // namespace detail

/// Returns the rows of a matrix with stored diagonals.
///
/// - `diagonals`: column - row of each, ascending, from 1 - rows to columns - 1; on the host, where they are read.
/// - `there`: a copy of them in memory that the executor can read; it outlives the tile set.
/// - `Atom`: the type of atoms and slots: dia_tiles<std::int64_t>(...).
/// - Throws invalid_argument if a number is out of range, the copy is null, or a diagonal is not greater than the one
///   before or has no entry; and if Atom cannot number the slots, diagonals * rows.
template <signed_of_32_or_64_bits Atom = int, detail::array_like Diagonals, class Tile>
auto dia_tiles(std::int64_t rows, std::int64_t columns, const Diagonals& diagonals, const Tile* there) {
  static_assert(signed_of_32_or_64_bits<Tile>,
                "diagonals must be signed integers of 32 or 64 bits, such as int and std::int64_t");
  const std::span<const Tile> values = detail::elements_of("diagonals", diagonals);
  const std::size_t count = values.size();
  detail::require_number("rows", rows, count_on_host<Tile>::max);
  detail::require_number("columns", columns, count_on_host<Tile>::max);
  require(count == 0 || there != nullptr, [&] {
    return detail::concat("the executor's copy of the diagonals is null, but must have ", count, " elements");
  });
  detail::require_diagonals(rows, columns, values);
  constexpr std::int64_t max = std::numeric_limits<Atom>::max();
  require(count == 0 || rows <= max / static_cast<std::int64_t>(count), [&] {
    return detail::concat(count, " diagonals of ", rows,
                          " slots overflow the atom type: use dia_tiles<std::int64_t>");
  });
  return dia_tile_set<Atom, Tile>(static_cast<Tile>(rows), static_cast<Tile>(columns), values, there);
}

/// The same for executors that read host memory. A temporary is accepted only if it is itself a view, as std::span is.
template <signed_of_32_or_64_bits Atom = int, detail::array_like Diagonals>
auto dia_tiles(std::int64_t rows, std::int64_t columns, Diagonals&& diagonals) {
  static_assert(detail::outlives_call<Diagonals>, "dia_tiles keeps a view of the diagonals: store them in a "
                                                  "variable, because a temporary ends with this statement");
  return dia_tiles<Atom>(rows, columns, diagonals, std::as_const(diagonals).data());
}

/// The check of make_plan for the laws (tile_set.hpp): they hold if the executor's copy has the diagonals that the host
/// checked. One pass over the copy. Waits. Throws invalid_argument if the copy differs.
template <class Executor, class Atom, class Tile>
void require_laws(const Executor& exec, const dia_tile_set<Atom, Tile>& tiles) {
  const detail::check_diagonals<Atom, Tile> check{tiles};
  require(detail::first_fault(exec, check, tiles.diagonals()).same, [] {
    return "the executor's copy of the diagonals differs from that of the host: copy it before making the "
           "tiles";
  });
}

} // namespace evenly
