// SPDX-License-Identifier: Apache-2.0
// plan: a schedule made ready for one tile set. Made by make_plan (schedules/plan.hpp).
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/schedules/detail/bound_tiles.hpp"
#include "evenly/schedules/detail/inspect_tiles.hpp"
#include "evenly/schedules/detail/planning.hpp"
#include "evenly/schedules/detail/searched.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/trusted.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

/// Tiles that were checked, with what was found then.
template <tile_set Tiles> struct inspected_tiles {
  Tiles tiles;
  std::optional<extent<Tiles>> all;
};

/// What plan.reserve takes memory for.
template <class R, class Plan>
concept run_of = requires(const R& run, const Plan& plan) {
  { run.memory_for(plan) } -> std::same_as<workspace::room>;
};

} // namespace detail

/// A schedule made ready for one tile set on one executor, and on others like it: of the same type, with memory at the
/// same place and warps of one size; on cpu with any number of threads. Move-only. Keeps a view of the tile set, whose
/// data must outlive it unchanged, until it is bound to another. Used on one stream, and by one host thread, at a time.
template <class Executor, class Schedule, class Tiles> class plan : public bound_tiles<Executor, Tiles> {
  using base = bound_tiles<Executor, Tiles>;
  static_assert(detail::is_a_schedule<Schedule, Executor, Tiles>::holds);
  static_assert(
      detail::sizes_are_known<Schedule, Executor, Tiles>,
      "the schedule decides on its launch on the host, so it is not for tile sets whose sizes only the "
      "device knows (sized_on_device): dynamic_group_per_tile and binned are not, all others are");

 public:
  /// Checks the tiles.
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const capacity& most = {})
  requires(!sized_on_device<Tiles>)
      : plan(exec, schedule, tiles,
             (check(launch_shape{0, schedule.block_size}), detail::require_tiles(tiles),
              detail::inspect(exec, tiles)),
             most, true) {}
  /// Checks nothing.
  plan(const Executor& exec, const Schedule& schedule, const trusted_tiles<Tiles>& given,
       const capacity& most = {})
      : plan(exec, schedule, given.tiles,
             (check(launch_shape{0, schedule.block_size}), detail::require_tiles(given.tiles),
              detail::extent_of(exec, given)),
             most, false) {}
  /// As if it had checked them.
  plan(const Executor& exec, const Schedule& schedule, const detail::inspected_tiles<Tiles>& given,
       const capacity& most)
      : plan(exec, schedule, given.tiles, (check(launch_shape{0, schedule.block_size}), given.all.value()),
             most, true) {}
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles)
  requires sized_on_device<Tiles>
      : plan(exec, schedule, tiles,
             (check(launch_shape{0, schedule.block_size}), detail::require_tiles(tiles),
              detail::most_extent(tiles)),
             {}, false) {}

  /// A launch_of.
  const auto& launch() const { return prepared_.launch; }

  /// Takes another tile set of the same type, or one whose data has changed, in place of the one that it has; checks
  /// nothing. What the schedule prepares goes to the memory that the plan has, so nothing is allocated, and nothing
  /// waits: on cuda it may be captured in a graph. But where the host does not know the atoms of a tile set that is not
  /// sized on the device, it waits to read them back, on cuda (schedules/trusted.hpp).
  /// On the executor that the plan was made on, or on `exec`, another like it.
  /// Throws invalid_argument if the tiles exceed the plan's capacity, or the plan is in use.
  void rebind(const Tiles& tiles) { rebind(base::exec(), tiles); }
  void rebind(const Executor& exec, const Tiles& tiles) {
    if constexpr (sized_on_device<Tiles>)
      bind(exec, tiles, [&] { return detail::most_extent(tiles); });
    else
      rebind(exec, trusted(tiles));
  }
  void rebind(const trusted_tiles<Tiles>& given) { rebind(base::exec(), given); }
  void rebind(const Executor& exec, const trusted_tiles<Tiles>& given) {
    bind(exec, given.tiles, [&] { return detail::extent_of(exec, given); });
  }

  /// Takes the memory for what will run, so that no run allocates or waits, whatever tiles within its capacity the plan
  /// is bound to: plan.reserve(reduces<float>{}, scans<int>{}).
  template <detail::run_of<plan>... Runs> void reserve(const Runs&... runs) {
    reserve(base::exec(), runs...);
  }
  template <detail::run_of<plan>... Runs> void reserve(const Executor& exec, const Runs&... runs) {
    workspace::room all;
    ((all = all.or_more(runs.memory_for(*this))), ...);
    base::lease().reserve(exec, all);
  }

 private:
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const extent<Tiles>& all,
       const capacity& most, bool may_wait)
      : base(exec, tiles, all, most), schedule_(schedule),
        prepared_(detail::prepare(schedule, exec, tiles, all, planning{base::most(), may_wait})) {
    base::note_sizes();
    tell_capacity();
  }

  template <class ExtentOf>
  void bind(const Executor& exec, const Tiles& tiles, const ExtentOf& extent_of_tiles) {
    static_assert(
        detail::renews<Schedule, Executor, Tiles, decltype(prepared_.owned)>,
        "the schedule waits for the executor when it prepares tiles, so its plans are not bound to others: "
        "make a new one (dynamic_group_per_tile and binned do, all others do not)");
    base::require_alike(exec);
    detail::require_tiles(tiles);
    const workspace::lease held = base::lease();
    const extent<Tiles> all = extent_of_tiles();
    base::require_room({most_tiles(tiles), all.atoms});
    prepared_ =
        detail::renew(schedule_, exec, tiles, all, planning{base::most(), false}, std::move(prepared_.owned));
    base::set_tiles(tiles, all);
    tell_capacity();
  }

  /// After all that is prepared.
  void tell_capacity() {
    if constexpr (sized_on_device<Tiles>) prepared_.launch.most = base::most();
  }

  Schedule schedule_;
  decltype(detail::prepare(std::declval<const Schedule&>(), std::declval<const Executor&>(),
                           std::declval<const Tiles&>(), std::declval<const extent<Tiles>&>(),
                           planning{})) prepared_;
};

} // namespace evenly
