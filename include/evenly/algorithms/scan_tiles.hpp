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
void scan_tiles(const Executor& exec, Plan& plan, const Map& map, const Op& op, const Store& store) {
  static_assert(combinable_atoms<typename Plan::tiles_type, Map, Op>::holds);
  static_assert(stores<Store, atom_type<typename Plan::tiles_type>, typename Op::value_type>::holds);
  using consumer = scan_tiles_consumer<Kind, typename Plan::tiles_type, Map, Op, Store>;
  using shared = look_back<segmented<typename Op::value_type>>;
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
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
    if (const int blocks = cutting_blocks(each); blocks > 1 || sized_on_device<typename Plan::tiles_type>) {
      bound.shared = shared::in(exec, lease, blocks, max_cutting_blocks(each));
      bound.chained = blocks;
    }
    const chained_kernel<mapping, consumer> kernel{{each.mapping, bound}};
    if (each.shape.blocks == 0) return;
    if constexpr (sized_on_device<typename Plan::tiles_type>)
      launch_sized(exec, each, sized_chained_kernel<mapping, consumer>{kernel, each.max_size});
    else
      launch(exec, each.shape, kernel);
  } else {
    launch_skeleton(exec, each, bound);
  }
}

} // namespace detail

/// For plan.reserve: reserves memory for scan_tiles and scan_tiles_exclusive with values of type Value.
template <class Value> struct scans {
  template <class Plan> workspace::room memory_for(const Plan& plan) const {
    const int blocks = max_cutting_blocks(plan.launch());
    const std::size_t chained = blocks == 0 ? 0 : look_back<segmented<Value>>::bytes(blocks);
    return workspace::room{.kept = chained}.or_more(memory_for_chunks<Value>(plan.launch()));
  }
};

/// Calls store(atom, prefix) exactly once for EVERY atom. `prefix` combines the atoms of its tile up to and including
/// this atom by `op`. The value of an atom is map(atom), map(tile, atom) or map(tile, atom, rank).
///
/// - `map`, `store`: as for reduce_tiles. In addition, map(atom) may read what store(atom) writes for the same atom, so
///   prefixes may replace values in place. map may be called more than once per atom, always before its store.
/// - Synchronisation: asynchronous on cuda. The first run of a kind under a plan may allocate.
/// - Determinism: every run of one plan returns the same bits.
/// - Cost: see the schedule's header; one pass over the atoms.
template <class Executor, class Plan, class Map, monoid Op, class Store>
requires planned<Plan>
void scan_tiles(const Executor& exec, Plan& plan, const Map& map, const Op& op, const Store& store) {
  detail::scan_tiles<scan_kind::inclusive>(exec, plan, map, op, store);
}

/// The same without the atom itself: the identity for the first atom of a tile.
template <class Executor, class Plan, class Map, monoid Op, class Store>
requires planned<Plan>
void scan_tiles_exclusive(const Executor& exec, Plan& plan, const Map& map, const Op& op,
                          const Store& store) {
  detail::scan_tiles<scan_kind::exclusive>(exec, plan, map, op, store);
}

/// Runs under the chosen schedule (schedules/detail/chosen_plan.hpp).
template <class Executor, class Plan, class... Rest>
requires chosen<Plan>
void scan_tiles(const Executor& exec, Plan& plan, const Rest&... rest) {
  plan.visit([&](auto& each) { scan_tiles(exec, each, rest...); });
}

template <class Executor, class Plan, class... Rest>
requires chosen<Plan>
void scan_tiles_exclusive(const Executor& exec, Plan& plan, const Rest&... rest) {
  plan.visit([&](auto& each) { scan_tiles_exclusive(exec, each, rest...); });
}

/// Plan and run in one call, as reduce_tiles does.
template <class Executor, class Schedule, plannable Tiles, class Map, monoid Op, class Store>
requires(!planned<Schedule>)
void scan_tiles(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const Map& map,
                const Op& op, const Store& store) {
  auto plan = make_plan_once(exec, schedule, tiles, work_kind::prefixes);
  scan_tiles(exec, plan, map, op, store);
}
template <class Executor, class Schedule, plannable Tiles, class Map, monoid Op, class Store>
requires(!planned<Schedule>)
void scan_tiles_exclusive(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const Map& map,
                          const Op& op, const Store& store) {
  auto plan = make_plan_once(exec, schedule, tiles, work_kind::prefixes);
  scan_tiles_exclusive(exec, plan, map, op, store);
}

/// Overload for a missing monoid: fails to compile with a hint.
template <class Executor, class... Arguments>
requires detail::without_monoid<Executor, Arguments...>
void scan_tiles(const Executor&, const Arguments&...) {
  static_assert(detail::has_monoid<Arguments...>::holds);
}

/// Overload for a missing monoid: fails to compile with a hint.
template <class Executor, class... Arguments>
requires detail::without_monoid<Executor, Arguments...>
void scan_tiles_exclusive(const Executor&, const Arguments&...) {
  static_assert(detail::has_monoid<Arguments...>::holds);
}

} // namespace evenly
