// SPDX-License-Identifier: Apache-2.0
// collect_atoms: the values that a function has for some of the atoms, one behind the other. The skeleton of graph
// traversal: from a frontier to the next.
//
// Atoms are visited as by for_each_atom, each once. How values come to their places: detail/collected_in_order.hpp and
// detail/collected_by_blocks.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "evenly/algorithms/detail/calls.hpp"
#include "evenly/algorithms/detail/collected_by_blocks.hpp"
#include "evenly/algorithms/detail/collected_in_order.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/primitives/inputs.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Asks for values in any order, which may be another on every run.
struct any_order {};
inline constexpr any_order in_any_order{};

namespace detail {

/// Throws invalid_argument if there is no place for what is found.
template <class T> void require_places(std::span<T> out, const std::int64_t* count) {
  require(count != nullptr,
          [] { return "count is null: it must point to the output for the number of values"; });
  require_memory("out", out.data(), static_cast<std::int64_t>(out.size()));
  require_apart("out", out.data(), static_cast<std::int64_t>(out.size()), "count", count, 1, false);
}

} // namespace detail

/// Calls visit(tile, atom, rank) or visit(tile, atom) exactly once for every atom, and writes the values that it
/// returns for some of them to out[0], out[1], ..., in atom order, and how many they are to *count. If they are more
/// than `out` has elements, *count says how many are needed, and `out` has the first of them.
///
/// visit: as for for_each_atom, but that it returns an optional value: a std::optional, or whatever has has_value() and
/// operator*. out and *count lie on `exec`, apart from each other and from all that the tile set points to.
/// Asynchronous on cuda, but for the first run under a plan, which may allocate: sizeof(T) + 1 bytes for each atom that
/// there may be. The values are the same on every run if visit finds the same. Cost: for_each_atom, and a pass over a
/// byte for each atom.
template <class Executor, class Plan, class Visit, class T>
requires planned<Plan>
void collect_atoms(const Executor& exec, Plan& plan, const Visit& visit, std::span<T> out,
                   std::int64_t* count) {
  static_assert(detail::collectable<Visit, typename Plan::tiles_type, T>::holds);
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
  detail::note_parts(exec, plan.tiles(), visit);
  detail::require_places(out, count);
  auto lease = plan.start(exec);
  detail::collect_in_order(exec, plan, visit, out, count, lease);
}

/// The same in any order. If `out` has too few elements, it has some of the values. Takes no memory. Cost:
/// for_each_atom, and an atomic addition for each block.
template <class Executor, class Plan, class Visit, class T>
requires planned<Plan>
void collect_atoms(const Executor& exec, Plan& plan, const Visit& visit, std::span<T> out,
                   std::int64_t* count, any_order) {
  static_assert(detail::collectable<Visit, typename Plan::tiles_type, T>::holds);
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
  detail::note_parts(exec, plan.tiles(), visit);
  detail::require_places(out, count);
  [[maybe_unused]] const auto run = plan.start(exec);
  exec.fill_zero(count, sizeof(*count));
  using consumer = collect_by_blocks<typename Plan::tiles_type, Visit, T>;
  launch_skeleton(exec, plan.launch(),
                  consumer{plan.tiles(), visit, out.data(), static_cast<std::int64_t>(out.size()), count});
}

/// Under the schedule that was chosen (schedules/detail/chosen_plan.hpp).
template <class Executor, class Plan, class... Rest>
requires chosen<Plan>
void collect_atoms(const Executor& exec, Plan& plan, const Rest&... rest) {
  plan.visit([&](auto& each) { collect_atoms(exec, each, rest...); });
}

/// For plan.reserve: collect_atoms of such values will run, in atom order.
template <class T> struct collects {
  template <class Plan> workspace::room memory_for(const Plan& plan) const {
    return detail::collection<Plan, T>::memory_for(plan);
  }
};

/// Plans and runs in one call, as reduce_tiles does.
template <class Executor, class Schedule, plannable Tiles, class Visit, class T, class... Order>
requires(!planned<Schedule>)
void collect_atoms(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const Visit& visit,
                   std::span<T> out, std::int64_t* count, Order... order) {
  auto plan = make_plan_once(exec, schedule, tiles, work_kind::visits);
  collect_atoms(exec, plan, visit, out, count, order...);
}

} // namespace evenly
