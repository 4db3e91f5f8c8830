// SPDX-License-Identifier: Apache-2.0
// counted_csr_tiles: csr_tiles whose reads of offsets are counted if simt traces the launch (trace/trace.hpp). It has a
// type of its own, so that the tile set of other executors does not change.
#pragma once

#include <type_traits>

#include "evenly/trace/counted_memory.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

/// A csr_tile_set with counted reads of its offsets.
template <class Offset, class Tile = int> struct counted_csr_tiles : csr_tile_set<Offset, Tile> {
  counted_csr_tiles() = default;
  constexpr counted_csr_tiles(const csr_tile_set<Offset, Tile>& tiles) : csr_tile_set<Offset, Tile>(tiles) {}

  /// The place of an access is that of the caller.
  Offset begin(Tile t, detail::caller_place where = {}) const {
    return counted_load(this->offsets() + t, where);
  }
  Offset end(Tile t, detail::caller_place where = {}) const {
    return counted_load(this->offsets() + t + 1, where);
  }
  constexpr bool operator==(const counted_csr_tiles&) const = default;
};
static_assert(tile_set<counted_csr_tiles<int>>);

/// The type of csr_tile_set<Offset> that a plan on such an executor uses.
template <class Executor, class Offset>
using csr_tiles_on = std::conditional_t<std::is_same_v<pointer_on<Executor, Offset>, Offset*>,
                                        csr_tile_set<Offset>, counted_csr_tiles<Offset>>;

} // namespace evenly
