// SPDX-License-Identifier: Apache-2.0
// The values of parts of tiles, as the body of for_each_share combines them: in place of atom_values, for the consumer
// of reduce_tiles.
#pragma once

#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/kernels/detail/refusal.hpp"
#include "evenly/kernels/ranges.hpp"
#include "evenly/kernels/share.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Checked: whether a body that joins nothing, or twice, is refused.
template <tile_set Tiles, class Body, monoid Op, bool Checked> struct part_values {
  using tiles_type = Tiles;
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  using value = typename Op::value_type;
  static constexpr bool by_atom = false;
  static constexpr bool by_parts = true;

  Tiles tiles;
  Body body;
  Op joined_by;

  /// Of the atoms begin, begin + step, ... below end; the first is below it. Each atom is in one part.
  EVENLY_INLINE_FN value of_part(tile t, atom begin, atom end, int step) const {
    detail::joined_value<value> kept{joined_by.identity()};
    const step_range<atom> atoms(begin, end, static_cast<atom>(smaller<std::int64_t>(step, end - begin)));
    body(tile_share<tile, atom, false, value>(t, atoms, &kept));
    if constexpr (Checked) {
      if (kept.times != 1)
        EVENLY_REFUSE("the body of for_each_share joins each share once",
                      "the share of tile " + std::to_string(t) + " was joined " + std::to_string(kept.times) +
                          " times: share.join(tile, value) is called once for each of share.tiles()");
    }
    return kept.value;
  }
  EVENLY_INLINE_FN value of_atom(tile t, atom a) const { return of_part(t, a, static_cast<atom>(a + 1), 1); }
  EVENLY_INLINE_FN value of_passing(atom) const = delete;

  template <class Block> EVENLY_INLINE_FN value fold(const Op& op, tile t, atom begin, atom end) const {
    return begin < end ? of_part(t, begin, end, 1) : op.identity();
  }
};

} // namespace evenly
