// SPDX-License-Identifier: Apache-2.0
// Deprecated names of kernels/for_each_range.hpp.
#pragma once

#include "evenly/kernels/for_each_range.hpp"

namespace evenly {

template <class Tile, class Atoms, bool Whole, class Kept, bool Streaming = false>
using tile_share [[deprecated("use tile_range")]] = tile_range<Tile, Atoms, Whole, Kept, Streaming>;
template <class T, class Tile, carry_fix_up How, class Op, class Store>
using joins [[deprecated("use combine_with")]] = combine_with<T, Tile, How, Op, Store>;
using joining [[deprecated("use carry_fix_up")]] = carry_fix_up;

template <class Block, class... Rest>
[[deprecated("use for_each_range")]] EVENLY_FN void for_each_share(Block& block, const Rest&... rest) {
  for_each_range(block, rest...);
}
template <class T, class Mapping>
[[deprecated("use lay_out_combine")]] EVENLY_FN constexpr auto
lay_out_joins(storage_layout& layout, block_shape shape, const shared_work<Mapping>& work) {
  return lay_out_combine<T>(layout, shape, work);
}
template <class Executor, class... Rest>
[[deprecated("use fix_up_carries")]] void join_partials(const Executor& exec, const Rest&... rest) {
  fix_up_carries(exec, rest...);
}

} // namespace evenly
