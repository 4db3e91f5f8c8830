// SPDX-License-Identifier: Apache-2.0
// Sums of many tiles of few atoms by one core, without a branch that depends on a tile's size.
//
// Branch predictors mispredict the end of a loop over a tile's two or three atoms. Therefore the atoms of a group of
// consecutive tiles are first evaluated, in one loop, into an array that stays in the first-level cache. Then four
// tiles are processed at once: the first atoms of each are read from there, and bit masks replace those past its end by
// the identity. The few tiles with more atoms are folded as usual.
//
// Operands and their association are those of atom_values::fold, so the result has the same bits.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Tiles that are processed together, and their maximum average number of atoms.
inline constexpr int short_tiles_together = 64;
inline constexpr int short_tile_atoms = 4;
/// How many atoms ahead a map's prefetch is called.
inline constexpr int prefetched_ahead = 256;

/// Whether atoms may be evaluated before their tiles are known, and kept.
template <class Values>
inline constexpr bool takes_short_tiles =
    Values::by_atom && !Values::by_parts && !Values::each_once && sizeof(typename Values::value) <= 16;

namespace detail {

/// Returns values[place] if all bits of `there` are set, `other` if none is.
template <class Value>
EVENLY_INLINE_FN Value value_or(const Value* values, int place, std::int32_t there, const Value& other) {
  if constexpr (std::is_arithmetic_v<Value> && (sizeof(Value) == 4 || sizeof(Value) == 8)) {
    using bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
    const auto mask = static_cast<bits>(static_cast<std::int64_t>(there));
    return std::bit_cast<Value>(static_cast<bits>((std::bit_cast<bits>(values[place]) & mask) |
                                                  (std::bit_cast<bits>(other) & ~mask)));
  } else {
    return there != 0 ? values[place] : other;
  }
}

} // namespace detail

/// Calls store(tile, sum) for tiles [t, t + short_tiles_together), whose atoms are [begin, end): at most
/// short_tiles_together * short_tile_atoms. The caller's atoms continue to `last`.
template <class Block, class Values, monoid Op, class Store, class Tile, class Atom>
EVENLY_FN void sum_short_tiles(const Values& work, const Op& op, const Store& store, Tile t, Atom begin,
                               Atom end, [[maybe_unused]] Atom last) {
  using value = typename Op::value_type;
  constexpr int four = 4;
  constexpr int max = short_tiles_together * short_tile_atoms;
  const auto map = work.map; // copies, which no store can change
  const auto tiles = work.tiles;
  const Store into = store;
  const value none = op.identity();

  value values[max + short_tile_atoms]; // short_tile_atoms are read of the last tile even if it has fewer
  const int count = static_cast<int>(end - begin);
  int k = 0;
  if constexpr (requires { map.prefetch(begin); }) {
    const auto ahead = static_cast<int>(smaller<std::int64_t>(last - begin - prefetched_ahead, count));
    for (; k < ahead; ++k) {
      map.prefetch(static_cast<Atom>(begin + prefetched_ahead + k));
      values[k] = map(static_cast<Atom>(begin + k));
    }
  }
  for (; k < count; ++k) values[k] = map(static_cast<Atom>(begin + k));
  for (int i = 0; i < short_tile_atoms; ++i) values[count + i] = none;

  int at = 0;
  for (int i = 0; i < short_tiles_together; i += four, t = static_cast<Tile>(t + four)) {
    value first[four][short_tile_atoms];
    value sum[four];
    int from[four + 1];
    from[0] = at;
    for (int j = 0; j < four; ++j) {
      at = static_cast<int>(tiles.end(static_cast<Tile>(t + j)) - begin);
      from[j + 1] = at;
      for (int a = 0; a < short_tile_atoms; ++a) // a - size is negative if the tile has that atom
        first[j][a] = detail::value_or(values, from[j] + a, (a - (at - from[j])) >> 31, none);
    }
    for (int j = 0; j < four; ++j) {
      sum[j] = none;
      EVENLY_UNROLL
      for (int a = 0; a < short_tile_atoms; ++a) sum[j] = op(sum[j], first[j][a]);
    }
    for (int j = 0; j < four; ++j)
      if (from[j + 1] - from[j] > short_tile_atoms) [[unlikely]]
        sum[j] = work.template fold<Block>(op, static_cast<Tile>(t + j), static_cast<Atom>(begin + from[j]),
                                           static_cast<Atom>(begin + from[j + 1]));
    for (int j = 0; j < four; ++j) into(static_cast<Tile>(t + j), sum[j]);
  }
}

} // namespace evenly
