// SPDX-License-Identifier: Apache-2.0
// reduce_tiles: one value for each tile, combined from its atoms. The skeleton of SpMV, of segmented reduction, and of
// every gathering computation.
//
// Values are combined in atom order unless the monoid is marked as commutative, and always in an order fixed by the
// plan. How tiles are shared, and how each form of sharing is handled: detail/reduce_consumer.hpp.
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
void reduce_planned(const Executor& exec, Plan& plan, const Map& map, const Op& op, const Store& store) {
  using tiles = typename Plan::tiles_type;
  static_assert(combinable_atoms<tiles, Map, Op>::holds);
  static_assert(stores<Store, tile_type<tiles>, typename Op::value_type>::holds);
  using consumer = reduce_tiles_consumer<tiles, Map, Op, Store>;
  using shared = carries<typename Op::value_type, tile_type<tiles>>;
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
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
/// Calls store(tile, value) exactly once for EVERY tile, with the tile's atoms combined by `op` (the identity for an
/// empty tile), where an atom's value is map(atom), map(tile, atom) or map(tile, atom, rank); rank = atom -
/// begin(tile).
///
/// map, store: function objects or EVENLY_FN lambdas that run on `exec`, with concrete parameter types. map has no side
/// effects, since it may be called more than once for an atom, and does not depend on what store does. If it has a
/// member streaming(atom), which returns the same value, that is called in its place where neighbouring threads have
/// neighbouring atoms and none is read again: it may read the atom's own data by load_streaming (core/annotations.hpp).
/// If it has a member prefetch(atom), that may be called on the CPU some time before map(atom), to ask for what map
/// will read elsewhere (prefetch_read); it may read the atom's own data. It may also have two members fetch(atom),
/// which reads the atom's own data, and of_fetched(fetched), which makes the value of what was read. On a GPU blocks of
/// a merge path may call these two in its place, for an atom more than once: all loads are then under way before the
/// first is waited for. They do so if what is fetched is default-constructible, and at most 128 bytes for a thread's
/// atoms. Where a thread has a tile of its own, map(atom) of such a map is written out 15 times, for several atoms at
/// once: it should do little but load. Values are default-constructible, trivially copyable, and aligned to at most 16
/// bytes.
/// Asynchronous on cuda, but for the first run of a kind under a plan, which may allocate. The result has the same bits
/// on every run of the same plan. Cost: see the schedule's header.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void reduce_tiles(const Executor& exec, How&& how, Rest&&... rest) {
  static_assert(detail::has_monoid<std::remove_cvref_t<Rest>...>::holds);
  detail::run_skeleton(
      exec, how, work_kind::sums,
      [&](auto& plan, auto&... arguments) { detail::reduce_planned(exec, plan, arguments...); }, rest...);
}

/// For plan.reserve: reduce_tiles of such values will run.
template <class Value> struct reduces {
  template <class Plan> workspace::room memory_for(const Plan& plan) const {
    return carries<Value, tile_type<typename Plan::tiles_type>>::memory_for(max_cutting_blocks(plan.launch()))
        .or_more(memory_for_chunks<Value>(plan.launch()));
  }
};

} // namespace evenly
