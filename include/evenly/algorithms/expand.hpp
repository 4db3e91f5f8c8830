// SPDX-License-Identifier: Apache-2.0
// expand: writes the tile of each atom to an array. It is the benchmark of the mapping papers, and the first step for
// code that needs plain arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// `Executor`: selects the pointer type (execution/atomic.hpp); void for a plain pointer.
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

namespace detail {

/// Throws invalid_argument unless tile_of has an element for each atom.
template <class Plan, class Tile> void require_one_per_atom(const Plan& plan, std::span<Tile> tile_of) {
  constexpr bool has_capacity = sized_on_device<typename Plan::tiles_type>;
  std::int64_t atoms = 0;
  if constexpr (has_capacity)
    atoms = plan.max_size().atoms;
  else
    atoms = plan.atoms();
  const auto size = static_cast<std::int64_t>(tile_of.size());
  require(size == atoms || (has_capacity && size > atoms), [&] {
    return concat("tile_of has ", size, " elements: expand needs one for each of ", atoms, " atoms",
                  has_capacity ? " of the plan's capacity" : "");
  });
  require_memory("tile_of", tile_of.data(), atoms);
  if constexpr (requires { plan.tiles().offsets(); } && !has_capacity)
    require_apart("offsets", plan.tiles().offsets(), std::int64_t{plan.tiles().tiles()} + 1, "tile_of",
                  tile_of.data(), atoms, false);
}

template <class Executor, class Plan, class Out>
void expand_planned(const Executor& exec, Plan& plan, Out& out) {
  using tiles = typename Plan::tiles_type;
  using tile = tile_type<tiles>;
  static_assert(std::is_convertible_v<Out&, std::span<tile>>,
                "tile_of must be a writable range of the tile set's tile_type");
  const std::span<tile> tile_of(out);
  require_one_per_atom(plan, tile_of);
  if constexpr (sized_on_device<tiles>)
    visit_planned(exec, plan, write_tile_on_device<tiles>{plan.tiles(), tile_of.data()});
  else
    visit_planned(exec, plan,
                  write_tile<tile, atom_type<tiles>, Executor>{tile_of.data(), plan.first_atom()});
}

} // namespace detail

/// expand(exec, plan, tile_of)
/// expand(exec, schedule, tiles, tile_of)
///
/// Writes tile_of[a] = the tile of atom a, counted from the first atom of the set.
///
/// - `tile_of`: a contiguous range of tile_type on `exec`, of one element per atom; it overlaps no offsets. For tile
///   sets sized on the device: at least one element per atom of the plan's capacity.
/// - Throws invalid_argument for a wrong size or an overlap. Asynchronous on cuda. Cost: one write per atom.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void expand(const Executor& exec, How&& how, Rest&&... rest) {
  detail::run_skeleton(
      exec, how, work_kind::visits,
      [&](auto& plan, auto&... arguments) { detail::expand_planned(exec, plan, arguments...); }, rest...);
}

} // namespace evenly
