// SPDX-License-Identifier: Apache-2.0
// csr_tiles whose offsets' reads are counted where simt traces a launch (trace/trace.hpp): the same view, under a type
// of its own, so that nothing changes for the tile set of other executors.
#pragma once

#include <type_traits>

#include "evenly/trace/counted_memory.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {

template <class Offset, class Tile = int> struct counted_csr_tiles : csr_tile_set<Offset, Tile> {
  counted_csr_tiles() = default;
  constexpr counted_csr_tiles(const csr_tile_set<Offset, Tile>& tiles) : csr_tile_set<Offset, Tile>(tiles) {}

  /// An access is at the place of the caller.
  Offset begin(Tile t, detail::caller_place where = {}) const {
    return counted_load(this->offsets() + t, where);
  }
  Offset end(Tile t, detail::caller_place where = {}) const {
    return counted_load(this->offsets() + t + 1, where);
  }
  constexpr bool operator==(const counted_csr_tiles&) const = default;
};
static_assert(tile_set<counted_csr_tiles<int>>);

/// `csr_tile_set<Offset>` as a plan on such an executor had best see it.
template <class Executor, class Offset>
using csr_tiles_on = std::conditional_t<std::is_same_v<pointer_on<Executor, Offset>, Offset*>,
                                        csr_tile_set<Offset>, counted_csr_tiles<Offset>>;

} // namespace evenly
