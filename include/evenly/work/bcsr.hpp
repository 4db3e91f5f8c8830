// SPDX-License-Identifier: Apache-2.0
// bcsr_tiles: compressed rows of small dense blocks as tiles. Tile = block row, which is R rows of the matrix; atom =
// dense block of R x C values.
//
// Source: Im & Yelick, "Optimizing sparse matrix computations for register reuse in SPARSITY", ICCS 2001.
//
// An atom is a whole dense block: blocks are stored whole and all cost the same, so equally many atoms are equal work.
// The value of an atom is R numbers, one per row, so a monoid of R numbers combines them. Atoms are numbered as in the
// format's arrays: block a is in block column columns[a], and its value (i, j) is at slot(a, i, j).
//
// If R does not divide the rows, or C the columns, the last block row or block column reaches beyond the matrix.
// rows_in and columns_in return how much of it is inside; the rest is padding.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Block rows given by `tiles + 1` non-decreasing offsets into the dense blocks. begin and end cost one load each.
template <int R, int C, class Offset = int> class bcsr_tile_set : public csr_tile_set<Offset, int> {
  static_assert(R >= 1 && C >= 1, "a dense block must have at least one row and one column");

 public:
  bcsr_tile_set() = default;
  EVENLY_FN constexpr bcsr_tile_set(const Offset* offsets, int rows, int columns)
      : csr_tile_set<Offset, int>(offsets, ceil_div(rows, R)), rows_(rows), columns_(columns) {}

  /// The place of value (row, column) of a dense block in the values. The rows of a block are contiguous.
  EVENLY_FN static constexpr std::int64_t slot(Offset block, int row, int column) {
    return (static_cast<std::int64_t>(block) * R + row) * C + column;
  }
  /// How many rows of block row t, which starts at row t * R, are in the matrix: R, except in the last block row.
  EVENLY_FN constexpr int rows_in(int t) const { return smaller(R, rows_ - t * R); }
  /// The same for columns.
  EVENLY_FN constexpr int columns_in(int block_column) const {
    return smaller(C, columns_ - block_column * C);
  }
  /// Whether both are views of the same offsets in memory, for matrices of the same size.
  constexpr bool operator==(const bcsr_tile_set&) const = default;

 private:
  int rows_ = 0;
  int columns_ = 0;
};

static_assert(tile_set<bcsr_tile_set<2, 3>> && tile_set<bcsr_tile_set<4, 4, std::int64_t>>);

/// Returns the block rows of a matrix of `rows` rows and `columns` columns in dense blocks of R x C.
///
/// - `offsets`: one more than block rows. They are in memory that the executor can read and outlive the tile set. A
///   temporary is accepted only if it is itself a view, as std::span is.
/// - Throws invalid_argument if a number is negative, the offsets are null, or their number does not fit `rows`.
template <int R, int C, detail::array_like Offsets>
auto bcsr_tiles(Offsets&& offsets, std::int64_t rows, std::int64_t columns) {
  static_assert(detail::outlives_call<Offsets>,
                "bcsr_tiles keeps a view of the offsets of the block rows: store them in a variable, because "
                "a temporary ends with this statement");
  constexpr std::int64_t max = count_on_host<int>::max;
  detail::require_number("rows", rows, max);
  detail::require_number("columns", columns, max);
  const auto between = csr_tiles(std::as_const(offsets));
  const std::int64_t block_rows = ceil_div<std::int64_t>(rows, R);
  require(between.tiles() == block_rows, [&] {
    return detail::concat("there are offsets of ", between.tiles(), " block rows: ", rows,
                          " rows in dense blocks of ", R, " are ", block_rows);
  });
  using offset = atom_type<std::remove_const_t<decltype(between)>>;
  return bcsr_tile_set<R, C, offset>(between.offsets(), static_cast<int>(rows), static_cast<int>(columns));
}

} // namespace evenly
