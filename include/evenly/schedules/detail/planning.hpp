// SPDX-License-Identifier: Apache-2.0
// How a plan uses schedules and tile sets: it prepares schedules, also in existing memory, and finds the sizes of tile
// sets without checking them.
#pragma once

#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/assume_valid.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::detail {

/// Prepares a schedule with room for more; without, if the schedule owns no memory.
template <class S, class Executor, class Tiles>
auto prepare(const S& schedule, const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
             const planning& how) {
  if constexpr (plans_room<S, Executor, Tiles>)
    return schedule.prepare(exec, tiles, all, how);
  else
    return schedule.prepare(exec, tiles, all);
}

template <class S, class Executor, class Tiles, class Owned> inline constexpr bool renews = false;
template <class S, class Executor, class Tiles, class... Owned>
inline constexpr bool renews<S, Executor, Tiles, std::tuple<Owned...>> =
    sizeof...(Owned) == 0 || plans_room<S, Executor, Tiles, Owned...>;

/// The same in memory that the plan already owns.
template <class S, class Executor, class Tiles, class... Owned>
auto renew(const S& schedule, const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
           const planning& how, std::tuple<Owned...> owned) {
  if constexpr (plans_room<S, Executor, Tiles>)
    return std::apply(
        [&](Owned&... kept) { return schedule.prepare(exec, tiles, all, how, std::move(kept)...); }, owned);
  else
    return schedule.prepare(exec, tiles, all);
}

template <class S, class Executor, class Tiles>
using mapping_of =
    typename decltype(detail::prepare(std::declval<const S&>(), std::declval<const Executor&>(),
                                      std::declval<const Tiles&>(), extent<Tiles>{}, planning{})
                          .launch)::mapping_type;

/// Whether the sizes are known where they are needed: on the host, or in the kernel that uses the mapping.
template <class S, class Executor, class Tiles>
inline constexpr bool sizes_are_known =
    !sized_on_device<Tiles> || sized_on_device_mapping<mapping_of<S, Executor, Tiles>>;

/// Copies the sizes of a tile set as they are, by one thread; the atoms only if the number of tiles is within
/// `max_size`.
template <tile_set Tiles> struct copy_sizes {
  Tiles tiles;
  capacity max_size;
  sizes<Tiles>* result;

  EVENLY_FN sizes<Tiles> found() const {
    std::int64_t count = tiles.tiles();
    if constexpr (requires { tiles.source().stated_tiles(); }) count = tiles.source().stated_tiles();
    if (count <= 0 || count > max_size.tiles) return {count, {}};
    const std::int64_t first = tiles.begin(0), last = tiles.end(static_cast<tile_type<Tiles>>(count - 1));
    return {count, {static_cast<atom_type<Tiles>>(first), last - first}};
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() == 0) *result = found();
  }
};

/// Waits, unless the host can read the memory of the tiles.
template <class Executor, tile_set Tiles>
sizes<Tiles> read_sizes(const Executor& exec, const Tiles& tiles, const capacity& max_size) {
  if constexpr (Executor::on_host) {
    return copy_sizes<Tiles>{tiles, max_size, nullptr}.found();
  } else {
    const auto result = make_buffer<sizes<Tiles>>(exec, 1);
    launch(exec, {1, 1}, copy_sizes<Tiles>{tiles, max_size, result.data()});
    sizes<Tiles> found;
    exec.copy_to_host(&found, result.data(), sizeof(found));
    return found;
  }
}

/// Returns the atoms of tiles assumed valid. Waits, unless they are known or the host can read the memory of the tiles.
template <class Executor, tile_set Tiles>
extent<Tiles> extent_of(const Executor& exec, const assumed_valid_tiles<Tiles>& given) {
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  return given.all ? *given.all : read_sizes(exec, given.tiles, {any, any}).all;
}

/// Returns the host's bound for a tile set sized on the device: the maximum number of atoms.
template <sized_on_device Tiles> extent<Tiles> max_extent(const Tiles& tiles) {
  return {0, tiles.max_atoms()};
}

} // namespace evenly::detail
