// SPDX-License-Identifier: Apache-2.0
// make_plan: prepares a schedule once for one tile set, for many runs. docs/plans.md has the cost of binding a plan to
// another tile set.
//
//   make_plan(exec, schedule, tiles)              checks the laws of tile sets: a pass over the offsets
//   make_plan(exec, schedule, assume_valid(tiles))     checks nothing
//   make_plan(exec, schedule, tiles, capacity)    has room for other tiles; plan.rebind(tiles) then allocates nothing
//   make_plan(exec, schedule, source)             takes sizes and sums them up (work/tile_set.hpp)
//   make_plan(exec, chooser, ...)                 any of these; a chooser chooses the schedule (choice/chooser.hpp)
//
// Tile sets sized on the device are assumed valid and have a capacity of their own.
//
// The plan types are named only in the function bodies. clang evaluates a declared return type before the requirements,
// and would report an error inside the plan instead of the broken rule.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/assume_valid.hpp"
#include "evenly/schedules/choice/chooser.hpp"
#include "evenly/schedules/detail/chosen_plan.hpp"
#include "evenly/schedules/detail/searched.hpp"
#include "evenly/schedules/detail/source_plan.hpp"
#include "evenly/schedules/detail/tiles_plan.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Checks `tiles` and prepares `schedule` for them. Synchronises. Throws invalid_argument, naming the first tile that
/// breaks a law of tile_set.hpp. Cost: a pass over the offsets, and the cost in the schedule's header.
template <class Executor, class Schedule, tile_set Tiles>
auto make_plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles) {
  return plan_of<Executor, Schedule, Tiles>{exec, schedule, tiles};
}
template <class Executor, class Schedule, placed_tile_set Tiles>
auto make_plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles) {
  return make_plan(exec, schedule, tiles.plain());
}
/// The same with room for other tile sets: for `max_size`, or for the sizes of `tiles` if these are larger.
template <class Executor, class Schedule, tile_set Tiles>
requires(!sized_on_device<Tiles>)
auto make_plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const capacity& max_size) {
  return plan_of<Executor, Schedule, Tiles>{exec, schedule, tiles, max_size};
}
/// The same for tiles assumed valid: checks nothing. Synchronises if the atoms must be read back
/// (schedules/assume_valid.hpp), and if the schedule does. Cost: that in the schedule's header.
template <class Executor, class Schedule, tile_set Tiles>
auto make_plan(const Executor& exec, const Schedule& schedule, const assumed_valid_tiles<Tiles>& given,
               const capacity& max_size = {}) {
  return plan_of<Executor, Schedule, Tiles>{exec, schedule, given, max_size};
}

/// Returns a plan of a source of tiles (work/tile_set.hpp). It sums the sizes up and plans the resulting tile set.
/// The sizes are checked, unless they are assumed valid or only the device knows the number of tiles.
template <class Executor, class Schedule, tile_source Source>
auto make_plan(const Executor& exec, const Schedule& schedule, const Source& source) {
  return source_plan<Executor, Schedule, Source>{exec, schedule, source};
}
template <class Executor, class Schedule, tile_source Source>
auto make_plan(const Executor& exec, const Schedule& schedule, const Source& source,
               const capacity& max_size) {
  return source_plan<Executor, Schedule, Source>{exec, schedule, source, max_size};
}
template <class Executor, class Schedule, tile_source Source>
auto make_plan(const Executor& exec, const Schedule& schedule, const assumed_valid_source<Source>& given,
               const capacity& max_size = {}) {
  return source_plan<Executor, Schedule, Source>{exec, schedule, given, max_size};
}

namespace detail {
template <class T> inline constexpr bool is_assumed_valid = false;
template <tile_set Tiles> inline constexpr bool is_assumed_valid<assumed_valid_tiles<Tiles>> = true;
template <tile_source Source> inline constexpr bool is_assumed_valid<assumed_valid_source<Source>> = true;

template <class T> inline constexpr bool is_chosen = false;
template <class Executor, class Chooser, class Tiles>
inline constexpr bool is_chosen<chosen_plan<Executor, Chooser, Tiles>> = true;
template <class Executor, chooser Chooser, class Source>
inline constexpr bool is_chosen<source_plan<Executor, Chooser, Source>> = true;
} // namespace detail

/// Returns a plan for one run, by a call that plans and runs `work`.
template <class Executor, class Schedule, class What>
auto make_plan_once(const Executor& exec, const Schedule& schedule, const What& what,
                    [[maybe_unused]] work_kind work = work_kind::sums) {
  if constexpr (chooser<Schedule>)
    return make_plan(exec, once_chosen<Schedule>{detail::with_work_kind(schedule, work)}, what);
  else
    return make_plan(exec, once<Schedule>{schedule}, what);
}

/// The arguments of make_plan.
template <class T>
concept plannable = tile_set<T> || tile_source<T> || detail::is_assumed_valid<T>;

/// A plan that skeletons run, or a type with the same interface.
template <class P>
concept planned = executor<typename P::executor_type> && tile_set<typename P::tiles_type> &&
                  requires(P& plan, const typename P::executor_type& exec) {
                    { plan.tiles() } -> std::convertible_to<typename P::tiles_type>;
                    requires mapping<typename std::remove_cvref_t<decltype(plan.launch())>::mapping_type>;
                    { plan.start(exec) } -> std::same_as<workspace::lease>;
                  } && (sized_on_device<typename P::tiles_type> || requires(P& plan) {
                    { plan.atoms() } -> std::convertible_to<std::int64_t>;
                    { plan.first_atom() } -> std::convertible_to<atom_type<typename P::tiles_type>>;
                  });

/// A plan whose schedule was chosen when it was made (detail/chosen_plan.hpp). Skeletons run its chosen plan.
template <class P>
concept chosen = detail::is_chosen<std::remove_cv_t<P>>;

/// The plans that skeletons and applications accept.
template <class P>
concept any_planned = planned<P> || chosen<P>;

namespace detail {

template <class How, class... Rest> inline constexpr bool runs_skeleton = any_planned<How>;
template <class How, class Tiles, class... Rest>
inline constexpr bool runs_skeleton<How, Tiles, Rest...> = any_planned<How> || plannable<Tiles>;

template <class Executor, class Schedule, class Body, class Tiles, class... Rest>
void plan_and_run(const Executor& exec, const Schedule& schedule, work_kind work, const Body& body,
                  const Tiles& tiles, Rest&... rest);

/// Calls body(plan, arguments...) with a plan of one schedule, for a skeleton that is called with (exec, plan,
/// arguments...) or with (exec, schedule, tiles, arguments...).
template <class Executor, class How, class Body, class... Rest>
void run_skeleton(const Executor& exec, How& how, work_kind work, const Body& body, Rest&... rest) {
  if constexpr (chosen<How>) {
    how.visit([&](auto& plan) { run_skeleton(exec, plan, work, body, rest...); });
  } else if constexpr (planned<How>) {
    static_assert(std::is_same_v<Executor, typename How::executor_type>,
                  "the plan was made for another executor");
    body(how, rest...);
  } else {
    plan_and_run(exec, how, work, body, rest...);
  }
}
template <class Executor, class Schedule, class Body, class Tiles, class... Rest>
void plan_and_run(const Executor& exec, const Schedule& schedule, work_kind work, const Body& body,
                  const Tiles& tiles, Rest&... rest) {
  auto plan = make_plan_once(exec, schedule, tiles, work);
  run_skeleton(exec, plan, work, body, rest...);
}

} // namespace detail

/// What skeletons take after the executor: a plan, or a schedule or chooser and what else make_plan takes; then their
/// own arguments. In the second form they plan and run in one call: with assume_valid(tiles) and a schedule that does
/// not wait itself they synchronise nothing, otherwise while they plan.
template <class How, class... Rest>
concept skeleton_call = detail::runs_skeleton<std::remove_cvref_t<How>, std::remove_cvref_t<Rest>...>;

} // namespace evenly
