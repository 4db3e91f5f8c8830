// SPDX-License-Identifier: Apache-2.0
// plan: a schedule made ready for one tile set. Made by make_plan (schedules/plan.hpp).
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
#include "evenly/schedules/detail/inspect_tiles.hpp"
#include "evenly/schedules/detail/planning.hpp"
#include "evenly/schedules/detail/searched.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/trusted.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

template <tile_set Tiles> void require_tiles(const Tiles& tiles) {
  const std::int64_t count = most_tiles(tiles);
  require(count >= 0, [&] { return "tiles = " + std::to_string(count) + ": must not be negative"; });
  if constexpr (sized_on_device<Tiles>)
    require(tiles.most_atoms() >= 0,
            [&] { return "most atoms = " + std::to_string(tiles.most_atoms()) + ": must not be negative"; });
}

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
template <class Executor, class Schedule, class Tiles> class plan {
  static_assert(executor<Executor>,
                "a plan is made on an executor, which has what execution/executor.hpp says");
  static_assert(detail::is_a_schedule<Schedule, Executor, Tiles>::holds);
  static_assert(
      detail::sizes_are_known<Schedule, Executor, Tiles>,
      "the schedule decides on its launch on the host, so it is not for tile sets whose sizes only the "
      "device knows (sized_on_device): dynamic_group_per_tile and binned are not, all others are");

 public:
  using executor_type = Executor;
  using tiles_type = Tiles;

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

  const Tiles& tiles() const { return tiles_; }
  /// The number of the first atom; atoms are [first_atom(), first_atom() + atoms()).
  atom_type<Tiles> first_atom() const
  requires(!sized_on_device<Tiles>)
  {
    return extent_.first_atom;
  }
  /// Atoms of the whole tile set.
  std::int64_t atoms() const
  requires(!sized_on_device<Tiles>)
  {
    return extent_.atoms;
  }
  /// A copy of the one that it was made on.
  const Executor& exec() const { return exec_; }
  /// How many tiles and atoms a tile set may have that the plan is bound to.
  const capacity& most() const { return most_; }
  /// A launch_of.
  const auto& launch() const { return prepared_.launch; }

  /// Takes another tile set of the same type, or one whose data has changed, in place of the one that it has; checks
  /// nothing. What the schedule prepares goes to the memory that the plan has, so nothing is allocated, and nothing
  /// waits: on cuda it may be captured in a graph. But where the host does not know the atoms of a tile set that is not
  /// sized on the device, it waits to read them back, on cuda (schedules/trusted.hpp).
  /// On the executor that the plan was made on, or on `exec`, another like it.
  /// Throws invalid_argument if the tiles exceed the plan's capacity, or the plan is in use.
  void rebind(const Tiles& tiles) { rebind(exec_, tiles); }
  void rebind(const Executor& exec, const Tiles& tiles) {
    if constexpr (sized_on_device<Tiles>)
      bind(exec, tiles, [&] { return detail::most_extent(tiles); });
    else
      rebind(exec, trusted(tiles));
  }
  void rebind(const trusted_tiles<Tiles>& given) { rebind(exec_, given); }
  void rebind(const Executor& exec, const trusted_tiles<Tiles>& given) {
    bind(exec, given.tiles, [&] { return detail::extent_of(exec, given); });
  }

  /// Takes the memory for what will run, so that no run allocates or waits, whatever tiles within its capacity the plan
  /// is bound to: plan.reserve(reduces<float>{}, scans<int>{}).
  template <detail::run_of<plan>... Runs> void reserve(const Runs&... runs) { reserve(exec_, runs...); }
  template <detail::run_of<plan>... Runs> void reserve(const Executor& exec, const Runs&... runs) {
    workspace::room all;
    ((all = all.or_more(runs.memory_for(*this))), ...);
    workspace::lease(memory_, "plan").reserve(exec, all);
  }

  /// The sizes of tiles that are sized on the device. Synchronises. Throws invalid_argument if they exceed the plan's
  /// capacity, in which case runs do nothing.
  sizes<Tiles> read_sizes(const Executor& exec) const
  requires sized_on_device<Tiles>
  {
    const sizes<Tiles> found = detail::read_sizes(exec, tiles_, most_);
    require_room({found.tiles, found.all.atoms});
    return found;
  }

  /// Held by a skeleton during a run on `exec`: what it takes memory from (execution/workspace.hpp). Throws
  /// invalid_argument if the plan is not for such executors, where the host sees that the tile set has other atoms than
  /// it had, and if the plan is in use (execution/in_use.hpp). On cuda a run is over for the host when its work is
  /// started.
  template <bool Checked = EVENLY_CHECKED != 0> workspace::lease_of<Checked> start(const Executor& exec) {
    require_alike(exec);
    if constexpr (Executor::on_host) require_unchanged();
    return workspace::lease_of<Checked>(memory_, "plan");
  }

 private:
  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const extent<Tiles>& all,
       const capacity& most, bool may_wait)
      : exec_(exec), schedule_(schedule), tiles_(tiles), extent_(all),
        most_{larger<std::int64_t>(most.tiles, most_tiles(tiles)), larger(most.atoms, all.atoms)},
        prepared_(detail::prepare(schedule, exec, tiles, all, planning{most_, may_wait})),
        where_(memory_of(exec)), warp_size_(warp_size_of(exec)) {
    settle();
  }

  template <class ExtentOf>
  void bind(const Executor& exec, const Tiles& tiles, const ExtentOf& extent_of_tiles) {
    static_assert(
        detail::renews<Schedule, Executor, Tiles, decltype(prepared_.owned)>,
        "the schedule waits for the executor when it prepares tiles, so its plans are not bound to others: "
        "make a new one (dynamic_group_per_tile and binned do, all others do not)");
    require_alike(exec);
    detail::require_tiles(tiles);
    const workspace::lease held(memory_, "plan");
    const extent<Tiles> all = extent_of_tiles();
    require_room({most_tiles(tiles), all.atoms});
    prepared_ =
        detail::renew(schedule_, exec, tiles, all, planning{most_, false}, std::move(prepared_.owned));
    tiles_ = tiles;
    extent_ = all;
    settle();
  }

  /// After all that is prepared: tells the launch its capacity; and where the host sees sizes on the device, which they
  /// are.
  void settle() {
    if constexpr (sized_on_device<Tiles>) {
      prepared_.launch.most = most_;
      if constexpr (Executor::on_host) found_ = detail::read_sizes(exec_, tiles_, most_);
    }
  }

  static int warp_size_of(const Executor& exec) {
    if constexpr (requires { exec.shape_of(1); })
      return exec.shape_of(1).warp;
    else
      return 1;
  }

  void require_alike(const Executor& exec) const {
    require(memory_of(exec) == where_, [&] {
      return "the plan was made on " + memory_name(where_) + ", the executor is on " +
             memory_name(memory_of(exec));
    });
    require(warp_size_of(exec) == warp_size_, [&] {
      return "the plan was made for warps of " + std::to_string(warp_size_) +
             " threads, the executor has warps of " + std::to_string(warp_size_of(exec));
    });
  }
  void require_room(const capacity& needed) const {
    const auto require_most = [](std::int64_t number, std::int64_t most, const char* what) {
      require(number >= 0 && number <= most, [&] {
        return "the plan has room for " + std::to_string(most) + what + ", there are " +
               std::to_string(number) +
               ": state the most there will be when it is made, as capacity{tiles, atoms}";
      });
    };
    require_most(needed.tiles, most_.tiles, " tiles");
    require_most(needed.atoms, most_.atoms, " atoms");
  }

  void require_unchanged() const {
    extent<Tiles> planned = extent_, now = extent_;
    if constexpr (sized_on_device<Tiles>) {
      const sizes<Tiles> found = read_sizes(exec_);
      planned = found_.all;
      now = found.all;
      require(found.tiles == found_.tiles, [&] {
        return "the plan is for " + std::to_string(found_.tiles) + " tiles, of which there are " +
               std::to_string(found.tiles) + " now: tell the plan by rebind";
      });
    } else if (tiles_.tiles() > 0) {
      now = detail::extent_of<Executor, Tiles>(exec_, {tiles_, {}});
    }
    require(now.first_atom == planned.first_atom && now.atoms == planned.atoms, [&] {
      const auto atoms = [](const extent<Tiles>& all) {
        return "[" + std::to_string(all.first_atom) + ", " +
               std::to_string(static_cast<std::int64_t>(all.first_atom) + all.atoms) + ")";
      };
      return "the plan is for tiles with atoms " + atoms(planned) + ", which are " + atoms(now) +
             " now: what a tile set points to must not change";
    });
  }

  Executor exec_;
  Schedule schedule_;
  Tiles tiles_;
  extent<Tiles> extent_; ///< of tiles that are sized on the device: the most there may be
  capacity most_;
  decltype(detail::prepare(std::declval<const Schedule&>(), exec_, tiles_, extent_, planning{})) prepared_;
  workspace memory_;
  sizes<Tiles>
      found_{}; ///< of tiles that are sized on the device, when they were bound, if the host sees them
  int where_;   ///< its memory
  int warp_size_;
};

} // namespace evenly
