// SPDX-License-Identifier: Apache-2.0
// Tile sources: problems that know how many atoms each tile has, but not where they begin ("formats", Osama et al., "A
// programming model for GPU load balancing", PPoPP 2023, section 4.1). make_plan sums the sizes up, on the executor, and
// plans the tile set that it gets so: scanned.hpp.
//
// Laws, for a source s with n = s.tiles():
//   1. Tile t, 0 <= t < n, has s.size(t) atoms, and s.size(t) >= 0. Together they are no more than atom_type can count.
//   2. Atoms are numbered from 0, in tile order, without gaps.
//   3. A source is a view: trivially copyable, and what it points to is not changed while a plan for it lives, unless
//      the plan is told of it.
// size is called on the executor, once or twice for each tile.
//
// A source of which only the executor knows how many tiles it has says how many there are at most, as a tile set does
// (tile_set.hpp): then tiles() is called on the executor only, and returns no more than most_tiles().
//
// A source may say more of an entry that breaks law 1:
//   bool valid(t)                             on the executor: whether the tile is one; size(t) is 0 otherwise
//   std::int64_t entry(t)                     on the executor: what the message names
//   std::string describe(t, entry) const      the message, one line
//   std::int64_t stated_tiles()               on the executor: how many tiles it was to have, which may break a rule
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

template <class S>
concept tile_source = std::is_trivially_copyable_v<S> && signed_of_32_or_64_bits<typename S::tile_type> &&
                      signed_of_32_or_64_bits<typename S::atom_type> && !tile_set<S> &&
                      requires(const S& s, typename S::tile_type t) {
                        { s.tiles() } -> std::same_as<typename S::tile_type>;
                        { s.size(t) } -> std::same_as<typename S::atom_type>;
                      };

/// Whether only the executor knows how many tiles there are: how many there may be is known on the host.
template <class S>
concept counted_on_executor = requires(const S& s) {
  { s.most_tiles() } -> std::convertible_to<std::int64_t>;
  { s.most_atoms() } -> std::convertible_to<std::int64_t>;
};

} // namespace evenly
