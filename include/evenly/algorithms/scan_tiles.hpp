// SPDX-License-Identifier: Apache-2.0
// scan_tiles: the prefixes of each tile's atoms. This is a segmented scan for tiles of any size, in one pass.
//
// Values are combined in atom order, with an association fixed by the plan: every run returns the same bits. How tiles
// are shared, and how each form of sharing is handled: detail/scan_consumer.hpp.
#pragma once

#include <type_traits>

#include "evenly/algorithms/detail/atom_values.hpp"
#include "evenly/algorithms/detail/chained_kernel.hpp"
#include "evenly/algorithms/detail/persistent_chunks.hpp"
#include "evenly/algorithms/detail/scan_consumer.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/scan.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/primitives/look_back.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

template <scan_kind Kind, class Executor, class Plan, class Map, class Op, class Store>
void scan_planned(const Executor& exec, Plan& plan, const Map& map, const Op& given, const Store& store) {
  using tiles = typename Plan::tiles_type;
  using combined = combinable_atoms<tiles, Map, Op>;
  using value = typename combined::op::value_type;
  static_assert(combined::holds);
  static_assert(stores<Store, atom_type<tiles>, value>::holds);
  using consumer = scan_tiles_consumer<Kind, tiles, Map, typename combined::op, Store>;
  using shared = look_back<segmented<value>>;
  const auto& op = monoid_for<value>(given);
  note_parts(exec, plan.tiles(), map, op, store);
  auto lease = plan.start(exec);
  const auto& each = plan.launch();
  using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
  if constexpr (can_draw_chunks<Executor, mapping, consumer>) {
    constexpr auto kind = Kind == scan_kind::inclusive ? chunk_results::inclusive : chunk_results::exclusive;
    if (draw_chunks<kind>(exec, each, map, op, store, lease)) return;
  }
  consumer bound{{plan.tiles(), map}, op, store};
  if constexpr (sharing::any_cuts<typename mapping::sharings>) {
    if (const int blocks = cutting_blocks(each); blocks > 1 || sized_on_device<tiles>) {
      bound.shared = shared::in(exec, lease, blocks, max_cutting_blocks(each));
      bound.chained = blocks;
    }
    const chained_kernel<mapping, consumer> kernel{{each.mapping, bound}};
    if (each.shape.blocks == 0) return;
    if constexpr (sized_on_device<tiles>)
      launch_sized(exec, each, sized_chained_kernel<mapping, consumer>{kernel, each.max_size});
    else
      launch(exec, each.shape, kernel);
  } else {
    launch_skeleton(exec, each, bound);
  }
}

template <scan_kind Kind, class Executor, class How, class... Rest>
void scan_tiles_of(const Executor& exec, How& how, Rest&... rest) {
  static_assert(has_monoid<std::remove_cvref_t<Rest>...>::holds);
  run_skeleton(
      exec, how, work_kind::prefixes,
      [&](auto& plan, auto&... arguments) { scan_planned<Kind>(exec, plan, arguments...); }, rest...);
}

} // namespace detail

/// For plan.reserve: reserves memory for scan_tiles and scan_tiles_exclusive with values of type Value.
template <class Value> struct scans {
  template <class Plan> workspace::sizes memory_for(const Plan& plan) const {
    const int blocks = max_cutting_blocks(plan.launch());
    const std::size_t chained = blocks == 0 ? 0 : look_back<segmented<Value>>::bytes(blocks);
    return workspace::sizes{.kept = chained}.or_more(memory_for_chunks<Value>(plan.launch()));
  }
};

/// scan_tiles(exec, plan, map, op, store)
/// scan_tiles(exec, schedule, tiles, map, op, store)
///
/// Calls store(atom, prefix) exactly once for EVERY atom. `prefix` combines the atoms of its tile up to and including
/// this atom by `op`. The value of an atom is map(atom), map(tile, atom) or map(tile, atom, rank).
///
/// - `map`, `store`: as for reduce_tiles. In addition, map(atom) may read what store(atom) writes for the same atom, so
///   prefixes may replace values in place. map may be called more than once per atom, always before its store.
/// - Synchronisation: asynchronous on cuda. The first run of a kind under a plan may allocate.
/// - Determinism: every run of one plan returns the same bits.
/// - Cost: see the schedule's header; one pass over the atoms.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void scan_tiles(const Executor& exec, How&& how, Rest&&... rest) {
  detail::scan_tiles_of<scan_kind::inclusive>(exec, how, rest...);
}

/// The same without the atom itself: the identity for a tile's first.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void scan_tiles_exclusive(const Executor& exec, How&& how, Rest&&... rest) {
  detail::scan_tiles_of<scan_kind::exclusive>(exec, how, rest...);
}

} // namespace evenly
