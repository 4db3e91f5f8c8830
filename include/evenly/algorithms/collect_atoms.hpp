// SPDX-License-Identifier: Apache-2.0
// collect_atoms: compacts the values that a function returns for some of the atoms. This is the skeleton of graph
// traversal, from one frontier to the next.
//
// Atoms are visited as by for_each_atom, each once. How values get their places: detail/collected_in_order.hpp and
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

/// Requests values in any order. The order may differ on every run.
struct any_order {};
/// An argument of collect_atoms.
inline constexpr any_order in_any_order{};

namespace detail {

/// Throws invalid_argument if the output is missing or overlaps `count`.
template <class T> void require_places(std::span<T> out, const std::int64_t* count) {
  require(count != nullptr,
          [] { return "count is null: it must point to the output for the number of values"; });
  require_memory("out", out.data(), static_cast<std::int64_t>(out.size()));
  require_apart("out", out.data(), static_cast<std::int64_t>(out.size()), "count", count, 1, false);
}

template <class Executor, class Plan, class Visit, class T>
void collect_planned(const Executor& exec, Plan& plan, const Visit& visit, std::span<T> out,
                     std::int64_t* count) {
  static_assert(collectable<Visit, typename Plan::tiles_type, T>::holds);
  note_parts(exec, plan.tiles(), visit);
  require_places(out, count);
  auto lease = plan.start(exec);
  collect_in_order(exec, plan, visit, out, count, lease);
}
template <class Executor, class Plan, class Visit, class T>
void collect_planned(const Executor& exec, Plan& plan, const Visit& visit, std::span<T> out,
                     std::int64_t* count, any_order) {
  static_assert(collectable<Visit, typename Plan::tiles_type, T>::holds);
  note_parts(exec, plan.tiles(), visit);
  require_places(out, count);
  [[maybe_unused]] const auto run = plan.start(exec);
  exec.fill_zero(count, sizeof(*count));
  using consumer = collect_by_blocks<typename Plan::tiles_type, Visit, T>;
  launch_skeleton(exec, plan.launch(),
                  consumer{plan.tiles(), visit, out.data(), static_cast<std::int64_t>(out.size()), count});
}

} // namespace detail

/// collect_atoms(exec, plan, visit, out, count)
/// collect_atoms(exec, schedule, tiles, visit, out, count)
///
/// Calls visit exactly once for every atom and writes the values that it returns to out[0], out[1], ..., in atom order.
/// Writes the number of values to *count. If that exceeds out.size(), `out` holds the first out.size() values.
///
/// - `visit`: called as visit(tile, atom, rank) or visit(tile, atom), as in for_each_atom. It returns an optional
///   value: a std::optional or any type with has_value() and operator*.
/// - `out`, `count`: on `exec`; they overlap neither each other nor any memory of the tile set.
/// - Synchronisation: asynchronous on cuda. The first run under a plan may allocate sizeof(T) + 1 bytes per possible
///   atom.
/// - Determinism: the values are the same on every run if visit returns the same.
/// - Cost: for_each_atom, and a pass over a byte per atom.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void collect_atoms(const Executor& exec, How&& how, Rest&&... rest) {
  detail::run_skeleton(
      exec, how, work_kind::visits,
      [&](auto& plan, auto&... arguments) { detail::collect_planned(exec, plan, arguments...); }, rest...);
}

/// For plan.reserve: reserves memory for collect_atoms of values of T, in atom order.
template <class T> struct collects {
  template <class Plan> workspace::sizes memory_for(const Plan& plan) const {
    return detail::collection<Plan, T>::memory_for(plan);
  }
};

} // namespace evenly
