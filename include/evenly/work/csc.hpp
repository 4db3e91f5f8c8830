// SPDX-License-Identifier: Apache-2.0
// csc_tiles: compressed sparse columns as tiles. Tile = column, atom = nonzero.
//
// Source: Duff, Grimes & Lewis, "Sparse matrix test problems", TOMS 1989.
//
// Atoms are numbered as in the format's arrays: the row of atom a is rows[a], its value values[a]. A reduction of the
// tiles combines columns, as a product with the transpose does. A product with the matrix itself adds the values of one
// column to many rows, by for_each_atom and atomic_ref.
#pragma once

#include <string>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Columns given by `tiles + 1` non-decreasing offsets. begin and end cost one load each. The type differs from that of
/// csr tiles, so that columns are not mistaken for rows.
template <class Offset = int, signed_of_32_or_64_bits Tile = int>
class csc_tile_set : public csr_tile_set<Offset, Tile> {
 public:
  using csr_tile_set<Offset, Tile>::csr_tile_set;
};

static_assert(tile_set<csc_tile_set<int>> && tile_set<csc_tile_set<long long, long long>>);

/// Returns the columns between consecutive offsets.
///
/// - `offsets`: columns + 1 values, in memory that the executor can read; they outlive the tile set. A temporary is
///   accepted only if it is itself a view, as std::span is.
/// - Throws the same errors as csr_tiles.
template <detail::array_like Offsets> auto csc_tiles(Offsets&& offsets) {
  static_assert(detail::outlives_call<Offsets>,
                "csc_tiles keeps a view of the offsets of the columns: store them in a variable, because a "
                "temporary ends with this statement");
  const auto between = csr_tiles(std::as_const(offsets));
  using between_type = std::remove_const_t<decltype(between)>;
  return csc_tile_set<atom_type<between_type>>(between.offsets(), between.tiles());
}

} // namespace evenly
