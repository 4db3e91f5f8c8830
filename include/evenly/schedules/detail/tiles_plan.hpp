// SPDX-License-Identifier: Apache-2.0
// plan: a schedule prepared for one tile set. make_plan makes it (schedules/plan.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/in_use.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/schedules/assume_valid.hpp"
#include "evenly/schedules/detail/inspect_tiles.hpp"
#include "evenly/schedules/detail/plan_base.hpp"
#include "evenly/schedules/detail/planning.hpp"
#include "evenly/schedules/detail/searched.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

template <tile_set Tiles> void require_tiles(const Tiles& tiles) {
  const std::int64_t count = max_tiles(tiles);
  require(count >= 0, [&] { return detail::concat("tiles = ", count, ": must not be negative"); });
  if constexpr (sized_on_device<Tiles>)
    require(tiles.max_atoms() >= 0,
            [&] { return detail::concat("most atoms = ", tiles.max_atoms(), ": must not be negative"); });
}

/// Checked tiles, with the results of the check.
template <tile_set Tiles> struct inspected_tiles {
  Tiles tiles;
  std::optional<extent<Tiles>> all;
};

/// An argument of plan.reserve: the work for which memory is reserved.
template <class R, class Plan>
concept run_of = requires(const R& run, const Plan& plan) {
  { run.memory_for(plan) } -> std::same_as<workspace::sizes>;
};

} // namespace detail

/// A schedule prepared for one tile set on one executor, and on others like it: of the same type, with memory at the
/// same place and the same warp size; on cpu with any number of threads.
///
/// Move-only. It keeps a view of the tile set, whose data must outlive it unchanged until it is bound to another. One
/// stream and one host thread may use it at a time.
template <class Executor, class Schedule, class Tiles>
class plan : public detail::plan_base<Executor, Tiles> {
  using base = detail::plan_base<Executor, Tiles>;
  static_assert(detail::is_a_schedule<Schedule, Executor, Tiles>::holds);
  static_assert(detail::sizes_are_known<Schedule, Executor, Tiles>,
                "the schedule sizes its launch on the host, so it does not support tile sets with sizes on "
                "the device (sized_on_device): use a schedule other than dynamic_group_per_tile and binned");

 public:
  /// Checks the tiles.
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const capacity& max_size = {})
  requires(!sized_on_device<Tiles>)
      : plan(exec, schedule, tiles,
             (check(launch_shape{0, schedule.block_size}), detail::require_tiles(tiles),
              detail::inspect(exec, tiles)),
             max_size, true) {}
  /// Checks nothing.
  plan(const Executor& exec, const Schedule& schedule, const assumed_valid_tiles<Tiles>& given,
       const capacity& max_size = {})
      : plan(exec, schedule, given.tiles,
             (check(launch_shape{0, schedule.block_size}), detail::require_tiles(given.tiles),
              detail::extent_of(exec, given)),
             max_size, false) {}
  /// For tiles that were checked before.
  plan(const Executor& exec, const Schedule& schedule, const detail::inspected_tiles<Tiles>& given,
       const capacity& max_size)
      : plan(exec, schedule, given.tiles, (check(launch_shape{0, schedule.block_size}), given.all.value()),
             max_size, true) {}
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles)
  requires sized_on_device<Tiles>
      : plan(exec, schedule, tiles,
             (check(launch_shape{0, schedule.block_size}), detail::require_tiles(tiles),
              detail::max_extent(tiles)),
             {}, false) {}

  /// Returns a launch_of.
  const auto& launch() const { return prepared_.launch; }

  /// Binds the plan to another tile set of the same type, or to the same one with changed data. It checks nothing.
  ///
  /// - Runs on the executor that the plan was made on, or on `exec`, another like it.
  /// - Allocates nothing: the schedule prepares in the plan's memory.
  /// - Waits for nothing, so it may be captured in a CUDA graph. Exception: on cuda it waits to read the atoms back if
  ///   the host does not know them and the tile set is not sized on the device (schedules/assume_valid.hpp).
  /// - Throws invalid_argument if the tiles exceed the plan's capacity, or the plan is in use.
  void rebind(const Tiles& tiles) { rebind(this->exec(), tiles); }
  void rebind(const Executor& exec, const Tiles& tiles) {
    if constexpr (sized_on_device<Tiles>)
      bind(exec, tiles, [&] { return detail::max_extent(tiles); });
    else
      rebind(exec, assume_valid(tiles));
  }
  void rebind(const assumed_valid_tiles<Tiles>& given) { rebind(this->exec(), given); }
  void rebind(const Executor& exec, const assumed_valid_tiles<Tiles>& given) {
    bind(exec, given.tiles, [&] { return detail::extent_of(exec, given); });
  }

  /// Allocates the memory for the given work: plan.reserve(reduces<float>{}, scans<int>{}). No run then allocates or
  /// waits, for any tiles within the plan's capacity.
  template <detail::run_of<plan>... Runs> void reserve(const Runs&... runs) {
    reserve(this->exec(), runs...);
  }
  template <detail::run_of<plan>... Runs> void reserve(const Executor& exec, const Runs&... runs) {
    workspace::sizes all;
    ((all = all.or_more(runs.memory_for(*this))), ...);
    workspace::lease(this->memory(), "plan").reserve(exec, all);
  }

 private:
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const extent<Tiles>& all,
       const capacity& max_size, bool may_wait)
      : base(exec, tiles, all, max_size), schedule_(schedule),
        prepared_(detail::prepare(schedule, exec, tiles, all, planning{this->max_size(), may_wait})) {
    settle();
  }

  template <class ExtentOf>
  void bind(const Executor& exec, const Tiles& tiles, const ExtentOf& extent_of_tiles) {
    static_assert(
        detail::renews<Schedule, Executor, Tiles, decltype(prepared_.owned)>,
        "the schedule waits for the executor during preparation, so its plans cannot be bound to other "
        "tiles: make a new plan, or use a schedule other than dynamic_group_per_tile and binned");
    this->require_alike(exec);
    detail::require_tiles(tiles);
    const workspace::lease held(this->memory(), "plan");
    const extent<Tiles> all = extent_of_tiles();
    this->require_room({max_tiles(tiles), all.atoms});
    prepared_ = detail::renew(schedule_, exec, tiles, all, planning{this->max_size(), false},
                              std::move(prepared_.owned));
    this->set_tiles(tiles, all);
    settle();
  }

  void settle() {
    if constexpr (sized_on_device<Tiles>) prepared_.launch.max_size = this->max_size();
    this->note_sizes();
  }

  Schedule schedule_;
  decltype(detail::prepare(std::declval<const Schedule&>(), std::declval<const Executor&>(),
                           std::declval<const Tiles&>(), extent<Tiles>{}, planning{})) prepared_;
};

} // namespace evenly
