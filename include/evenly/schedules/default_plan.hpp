// SPDX-License-Identifier: Apache-2.0
// Plans from an environment (execution/environment.hpp): under its plan, its schedule, or `automatic`.
//
//   auto plan = evenly::make_plan(evenly::csr_tiles(offsets));     // once
//   evenly::segmented_reduce(values, offsets, plan);               // many times, without planning
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/environment.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

template <class S> inline constexpr bool is_plan_reference = false;
template <class P> inline constexpr bool is_plan_reference<plan_reference<P>> = true;

/// Returns the schedule of `env`, or `automatic` for `work`.
template <class E, class S> auto schedule_of(const environment<E, S>& env, work_kind work) {
  static_assert(!is_plan_reference<S>, "the argument is already a plan");
  if constexpr (std::is_same_v<S, unset>)
    return automatic{.work = work};
  else
    return env.schedule();
}

/// Calls body(plan) with the plan of `env`, or with a new one for this call. Throws invalid_argument if the plan is for
/// other tiles.
template <class Executor, class E, class S, class Tiles, class Body>
decltype(auto) with_plan(const Executor& exec, const environment<E, S>& env, const Tiles& tiles,
                         work_kind work, const Body& body) {
  if constexpr (is_plan_reference<S>) {
    auto& plan = *env.schedule().of;
    using planned = std::remove_cvref_t<decltype(plan)>;
    static_assert(std::is_same_v<typename planned::executor_type, Executor>,
                  "the plan was made on an executor of another type");
    constexpr bool has_such_tiles = std::is_same_v<typename planned::tiles_type, Tiles>;
    static_assert(has_such_tiles, "the plan was made for tiles of another type");
    if constexpr (has_such_tiles && std::equality_comparable<Tiles>)
      require(plan.tiles() == tiles, [] {
        return "the plan is for other offsets: a plan supports only the array of offsets that it was made "
               "for";
      });
    return body(plan);
  } else {
    auto plan = make_plan_once(exec, schedule_of(env, work), tiles, work);
    return body(plan);
  }
}

} // namespace detail

/// Returns a plan for `tiles` under the schedule of the environment, or under `automatic` for sums (for other work,
/// pass with(automatic{.work = ...})). Synchronises. Cost: a pass over the offsets, and that of the schedule. Throws
/// invalid_argument, naming the first tile that breaks a law of tile_set.hpp.
template <tile_set Tiles, environment_argument Env = environment<>>
auto make_plan(const Tiles& tiles, Env&& env = {}) {
  const auto where = detail::environment_of(env);
  return make_plan(detail::executor_for(where, tiles), detail::schedule_of(where, work_kind::sums),
                   detail::plain_tiles(tiles));
}

} // namespace evenly
