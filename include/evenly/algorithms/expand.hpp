// SPDX-License-Identifier: Apache-2.0
// expand: writes the tile of each atom to an array. It is the benchmark of the mapping papers, and the first step for
// code that needs plain arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/trace/counted_memory.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// `Executor`: selects the pointer type (trace/counted_memory.hpp); void for a plain pointer.
template <class Tile, class Atom, class Executor = void> struct write_tile {
  pointer_on<Executor, Tile> tile_of;
  Atom first_atom;
  EVENLY_FN void operator()(Tile t, Atom a) const { tile_of[a - first_atom] = t; }
  /// One store, if the output is aligned for it.
  EVENLY_FN void operator()(const four_tiles<Tile>& t, Atom a) const {
    const auto to = tile_of + (a - first_atom);
    if (reinterpret_cast<std::uintptr_t>(address_of(to)) % sizeof(t) == 0)
      counted_store(reinterpret_cast<four_tiles<Tile>*>(address_of(to)), t);
    else
      for (int i = 0; i < 4; ++i) to[i] = t.of[i];
  }
};

/// The same for tile sets sized on the device. The device knows the first atom.
template <tile_set Tiles> struct write_tile_on_device {
  Tiles tiles;
  tile_type<Tiles>* tile_of;
  EVENLY_FN void operator()(tile_type<Tiles> t, atom_type<Tiles> a) const { tile_of[a - tiles.begin(0)] = t; }
};

/// Writes tile_of[a] = the tile of atom a, counted from the first atom of the set.
///
/// - `tile_of`: on `exec`; its size is the number of atoms, and it overlaps no offsets.
/// - Throws invalid_argument if the size is wrong or `tile_of` overlaps the offsets. Asynchronous on cuda.
template <class Executor, class Plan>
requires any_planned<Plan>
void expand(const Executor& exec, Plan& plan, std::span<tile_type<typename Plan::tiles_type>> tile_of) {
  using tiles = typename Plan::tiles_type;
  require(tile_of.size() == static_cast<std::size_t>(plan.atoms()), [&] {
    return "tile_of has " + std::to_string(tile_of.size()) + " elements: expand needs one for each of " +
           std::to_string(plan.atoms()) + " atoms";
  });
  detail::require_memory("tile_of", tile_of.data(), plan.atoms());
  if constexpr (requires { plan.tiles().offsets(); })
    detail::require_apart("offsets", plan.tiles().offsets(), std::int64_t{plan.tiles().tiles()} + 1,
                          "tile_of", tile_of.data(), plan.atoms(), false);
  for_each_atom(exec, plan,
                write_tile<tile_type<tiles>, atom_type<tiles>, Executor>{tile_of.data(), plan.first_atom()});
}

/// The same for tile sets sized on the device. `tile_of` has room for the maximum number of atoms.
template <class Executor, class Plan>
requires any_planned<Plan> && sized_on_device<typename Plan::tiles_type>
void expand(const Executor& exec, Plan& plan, std::span<tile_type<typename Plan::tiles_type>> tile_of) {
  const std::int64_t max = plan.max_size().atoms;
  require(static_cast<std::int64_t>(tile_of.size()) >= max, [&] {
    return "tile_of has " + std::to_string(tile_of.size()) + " elements: expand needs one for each of " +
           std::to_string(max) + " atoms of the plan's capacity";
  });
  detail::require_memory("tile_of", tile_of.data(), max);
  for_each_atom(exec, plan, write_tile_on_device<typename Plan::tiles_type>{plan.tiles(), tile_of.data()});
}

/// Plans and runs in one call, as reduce_tiles does.
template <class Executor, class Schedule, plannable Tiles>
requires(!any_planned<Schedule>)
void expand(const Executor& exec, const Schedule& schedule, const Tiles& tiles,
            std::span<typename Tiles::tile_type> tile_of) {
  auto plan = make_plan_once(exec, schedule, tiles, work_kind::visits);
  expand(exec, plan, tile_of);
}

} // namespace evenly
