// SPDX-License-Identifier: Apache-2.0
// reduce_tiles: combines the atoms of each tile to one value. This is the skeleton of SpMV, segmented reduction, and
// every gathering computation.
//
// Values are combined in an order fixed by the plan; it is the atom order unless the monoid is marked as commutative.
// How tiles are shared, and how each form of sharing is handled: detail/reduce_consumer.hpp.
#pragma once

#include <type_traits>

#include "evenly/algorithms/detail/atom_values.hpp"
#include "evenly/algorithms/detail/carries.hpp"
#include "evenly/algorithms/detail/persistent_chunks.hpp"
#include "evenly/algorithms/detail/reduce_consumer.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/schedules/detail/group_size.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

template <class Executor, class Plan, class Map, class Op, class Store>
void reduce_planned(const Executor& exec, Plan& plan, const Map& map, const Op& given, const Store& store) {
  using tiles = typename Plan::tiles_type;
  using combined = combinable_atoms<tiles, Map, Op>;
  using value = typename combined::op::value_type;
  static_assert(combined::holds);
  static_assert(stores<Store, tile_type<tiles>, value>::holds);
  using consumer = reduce_tiles_consumer<tiles, Map, typename combined::op, Store>;
  using shared = carries<value, tile_type<tiles>>;
  const auto& op = monoid_for<value>(given);
  note_parts(exec, plan.tiles(), map, op, store);
  auto lease = plan.start(exec);
  const auto& each = plan.launch();
  using mapping = typename std::remove_cvref_t<decltype(each)>::mapping_type;
  if constexpr (can_draw_chunks<Executor, mapping, consumer>) {
    if (draw_chunks<chunk_results::sums>(exec, each, map, op, store, lease)) return;
  }
  consumer bound{{plan.tiles(), map}, op, store, {}};
  const int blocks = cutting_blocks(each);
  bound.shared = shared::in(exec, lease, blocks, max_cutting_blocks(each));
  launch_skeleton(exec, each, bound);
  if constexpr (sharing::any_cuts<typename mapping::sharings>) {
    if (shared::is_deferred(blocks)) fix_up_after(exec, each, bound.shared, op, store);
  }
}

} // namespace detail

/// reduce_tiles(exec, plan, map, op, store)
/// reduce_tiles(exec, schedule, tiles, map, op, store)
///
/// Calls store(tile, value) exactly once for EVERY tile. `value` is the tile's atoms combined by `op`; for an empty
/// tile it is the identity. The value of an atom is map(atom), map(tile, atom) or map(tile, atom, rank); rank = atom -
/// begin(tile). plus{} without a type takes the result type of `map`.
///
/// Requirements:
/// - `map`, `store`: function objects or EVENLY_FN lambdas with concrete parameter types; they run on `exec`.
/// - `map` has no side effects, since it may be called more than once per atom, and does not depend on the effects of
///   `store`.
/// - Values are default-constructible, trivially copyable, and aligned to at most 16 bytes.
///
/// Optional members of `map`:
/// - streaming(atom): returns the same value as map(atom). It replaces map(atom) where consecutive threads have
///   consecutive atoms, each exactly once. It may read the atom's own data by load_streaming (core/annotations.hpp).
/// - prefetch(atom): the CPU may call it some time before map(atom), to prefetch what map reads elsewhere
///   (prefetch_read). It may read the atom's own data.
/// - fetch(atom) and of_fetched(fetched): fetch reads the atom's own data, of_fetched computes the value from it. On a
///   GPU blocks of a merge path may call these instead of map(atom), more than once per atom. All loads are then in
///   flight before the first is used. This requires a default-constructible result of fetch, and at most 128 bytes for
///   all atoms of a thread. Where a thread has a tile of its own, such a map is inlined 15 times, so it should do
///   little except load.
///
/// - Synchronisation: asynchronous on cuda. The first run of a kind under a plan may allocate.
/// - Determinism: every run of one plan returns the same bits.
/// - Cost: see the schedule's header.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void reduce_tiles(const Executor& exec, How&& how, Rest&&... rest) {
  static_assert(detail::has_monoid<std::remove_cvref_t<Rest>...>::holds);
  detail::run_skeleton(
      exec, how, work_kind::sums,
      [&](auto& plan, auto&... arguments) { detail::reduce_planned(exec, plan, arguments...); }, rest...);
}

/// For plan.reserve: reserves memory for reduce_tiles with values of type Value.
template <class Value> struct reduces {
  template <class Plan> workspace::sizes memory_for(const Plan& plan) const {
    return carries<Value, tile_type<typename Plan::tiles_type>>::memory_for(max_cutting_blocks(plan.launch()))
        .or_more(memory_for_chunks<Value>(plan.launch()));
  }
};

} // namespace evenly
