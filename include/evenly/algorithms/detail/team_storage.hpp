// SPDX-License-Identifier: Apache-2.0
// Storage of a team's own: its size, its place, and how it is passed to a user's function as arguments.
//
// A block has one storage per team, one after the other. Forms of sharing with teams of other sizes reuse the same
// bytes: a block uses one form at a time, or synchronises between two.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/launches.hpp"

namespace evenly {

/// How many elements of T each team gets: `elements`, plus `per_thread` for each of its threads, plus `per_atom` for
/// each atom of the largest tile or piece of its launch.
template <class T> struct team_storage {
  int elements = 0;
  int per_thread = 0;
  int per_atom = 0;

  EVENLY_FN constexpr std::int64_t count(int threads, std::int64_t atoms) const {
    return elements + static_cast<std::int64_t>(per_thread) * threads + per_atom * atoms;
  }
};

/// The teams of a block that have storage at the same time.
struct teams_with_storage {
  int threads; ///< of each team
  int count;
  std::int64_t atoms = 0; ///< of the largest tile or piece
};

namespace detail {

/// The groups that process a batch's tiles, if it has more threads than a warp, and tiles left for later.
inline constexpr int threads_in_turn = 32;

/// Returns groups of `threads` threads; the whole block, if they would be wider than a warp.
EVENLY_FN constexpr teams_with_storage groups_or_block(int threads, int groups, block_shape shape) {
  return threads > shape.warp ? teams_with_storage{shape.size, 1} : teams_with_storage{threads, groups};
}

/// The teams that tiles of a form go to. `group`: the group size that a mapping got at run time, if any.
template <int G> EVENLY_FN constexpr teams_with_storage teams_of_size(int group, block_shape shape) {
  if constexpr (G == any_size) {
    const group_layout all = group_layout::of(group_size(group), shape);
    return groups_or_block(all.size, all.count, shape);
  } else {
    return groups_or_block(team_size(G, shape), team_count(G, shape), shape);
  }
}
template <class Form> struct teams_for {
  EVENLY_FN static constexpr teams_with_storage in(int, block_shape shape) { return {shape.size, 1}; }
};
template <int G> struct teams_for<sharing::team<G>> {
  EVENLY_FN static constexpr teams_with_storage in(int group, block_shape shape) {
    return teams_of_size<G>(group, shape);
  }
};
template <int G> struct teams_for<sharing::batch<G>> {
  EVENLY_FN static constexpr teams_with_storage in(int group, block_shape shape) {
    const teams_with_storage own = teams_of_size<G>(group, shape);
    return own.threads > shape.warp ? teams_of_size<threads_in_turn>(group, shape) : own;
  }
};

/// The unit of layout: each storage begins with one.
struct alignas(16) storage_unit {
  unsigned char bytes[16];
};
template <class T>
EVENLY_FN constexpr std::int64_t units_of(const team_storage<T>& each, const teams_with_storage& teams) {
  return ceil_div<std::int64_t>(each.count(teams.threads, teams.atoms) * static_cast<std::int64_t>(sizeof(T)),
                                sizeof(storage_unit));
}

} // namespace detail

/// Several storages, of any types.
template <class... Ts> struct team_storages {
  EVENLY_FN constexpr std::int64_t units(const teams_with_storage&) const { return 0; }
  void check() const {}
  bool counts_atoms() const { return false; }
};
template <class T, class... Rest> struct team_storages<T, Rest...> {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16,
                "elements of a team's storage must be trivially copyable and aligned to at most 16 bytes");
  team_storage<T> first;
  team_storages<Rest...> rest;

  /// Returns the units of all teams.
  EVENLY_FN constexpr std::int64_t units(const teams_with_storage& teams) const {
    return detail::units_of(first, teams) * teams.count + rest.units(teams);
  }
  /// Throws invalid_argument for negative numbers.
  void check() const {
    require(first.elements >= 0 && first.per_thread >= 0 && first.per_atom >= 0, [&] {
      return "a team's storage of " + std::to_string(first.elements) + " elements, " +
             std::to_string(first.per_thread) + " for each thread and " + std::to_string(first.per_atom) +
             " for each atom: none may be negative";
    });
    rest.check();
  }
  /// Whether some storage depends on the number of atoms of tiles.
  bool counts_atoms() const { return first.per_atom > 0 || rest.counts_atoms(); }
};

inline team_storages<> storages_of() { return {}; }
template <class T, class... Rest>
team_storages<T, Rest...> storages_of(const team_storage<T>& first, const team_storage<Rest>&... rest) {
  return {first, storages_of(rest...)};
}

/// Calls body(arguments..., storage...) with the storages of team `index` of `teams`, which start at `at`.
template <class Block, class Body, class... Arguments>
EVENLY_FN void call_with_storage(Block&, const team_storages<>&, slot<detail::storage_unit>,
                                 const teams_with_storage&, int, const Body& body,
                                 const Arguments&... arguments) {
  body(arguments...);
}
template <class Block, class T, class... Rest, class Body, class... Arguments>
EVENLY_FN void call_with_storage(Block& block, const team_storages<T, Rest...>& all,
                                 slot<detail::storage_unit> at, const teams_with_storage& teams, int index,
                                 const Body& body, const Arguments&... arguments) {
  constexpr auto unit = static_cast<std::uint32_t>(sizeof(detail::storage_unit));
  const auto each = static_cast<std::uint32_t>(detail::units_of(all.first, teams));
  const slot<T> mine{at.offset + static_cast<std::uint32_t>(index) * each * unit,
                     static_cast<std::uint32_t>(all.first.count(teams.threads, teams.atoms))};
  const std::uint32_t taken = each * static_cast<std::uint32_t>(teams.count);
  call_with_storage(block, all.rest, {at.offset + taken * unit, at.count - taken}, teams, index, body,
                    arguments..., block.storage(mine));
}

} // namespace evenly
