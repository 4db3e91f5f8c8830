// SPDX-License-Identifier: Apache-2.0
// make_plan: what a schedule prepares once for one tile set, to be run many times.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/errors.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/in_use.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/schedules/detail/inspect_tiles.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// A schedule made ready for one tile set on one executor, and on others like it: of the same type, with memory at the
/// same place and warps of one size; on cpu with any number of threads. Move-only. Keeps a view of the tile set, whose
/// data must outlive it unchanged. Used on one stream, and by one host thread, at a time.
template <class Executor, class Schedule, class Tiles> class plan {
  static_assert(executor<Executor>,
                "a plan is made on an executor, which has what execution/executor.hpp says");
  static_assert(detail::is_a_schedule<Schedule, Executor, Tiles>::holds);

 public:
  using executor_type = Executor;
  using tiles_type = Tiles;

  plan(const Executor& exec, const Schedule& schedule, const Tiles& tiles)
      : tiles_(tiles), extent_((check({0, schedule.block_size}), detail::inspect(exec, tiles))),
        prepared_(schedule.prepare(exec, tiles, extent_)), where_(memory_of(exec)),
        warp_size_(warp_size_of(exec)) {}

  const Tiles& tiles() const { return tiles_; }
  /// The number of the first atom; atoms are [first_atom(), first_atom() + atoms()).
  atom_type<Tiles> first_atom() const { return extent_.first_atom; }
  /// Atoms of the whole tile set.
  std::int64_t atoms() const { return extent_.atoms; }
  /// A launch_of.
  const auto& launch() const { return prepared_.launch; }

  /// Held by a skeleton during a run on `exec`: what it takes memory from (execution/workspace.hpp). Throws
  /// invalid_argument if the plan is not for such executors, where the host sees that the tile set has other atoms than
  /// it had, and if the plan is in use (execution/in_use.hpp). On cuda a run is over for the host when its work is
  /// started.
  template <bool Checked = EVENLY_CHECKED != 0> workspace::lease_of<Checked> start(const Executor& exec) {
    require(memory_of(exec) == where_, [&] {
      return "the plan was made on " + memory_name(where_) + ", the executor is on " +
             memory_name(memory_of(exec));
    });
    require(warp_size_of(exec) == warp_size_, [&] {
      return "the plan was made for warps of " + std::to_string(warp_size_) +
             " threads, the executor has warps of " + std::to_string(warp_size_of(exec));
    });
    if constexpr (Executor::on_host) require_unchanged();
    return workspace::lease_of<Checked>(memory_, "plan");
  }

 private:
  static int warp_size_of(const Executor& exec) {
    if constexpr (requires { exec.shape_of(1); })
      return exec.shape_of(1).warp;
    else
      return 1;
  }

  void require_unchanged() const {
    if (tiles_.tiles() == 0) return;
    const std::int64_t first = tiles_.begin(0),
                       last = tiles_.end(static_cast<tile_type<Tiles>>(tiles_.tiles() - 1));
    require(first == extent_.first_atom && last - first == extent_.atoms, [&] {
      const auto atoms = [](std::int64_t from, std::int64_t to) {
        return "[" + std::to_string(from) + ", " + std::to_string(to) + ")";
      };
      return "the plan is for tiles with atoms " +
             atoms(extent_.first_atom, extent_.first_atom + extent_.atoms) + ", which are " +
             atoms(first, last) + " now: what a tile set points to must not change";
    });
  }

  Tiles tiles_;
  extent<Tiles> extent_;
  decltype(std::declval<const Schedule&>().prepare(std::declval<const Executor&>(), tiles_,
                                                   extent_)) prepared_;
  workspace memory_;
  int where_; ///< its memory
  int warp_size_;
};

/// Checks `tiles` and prepares `schedule` for them. Synchronises. Throws invalid_argument, naming the first
/// tile that breaks a law of tile_set.hpp. Cost: a pass over the offsets and what the schedule's header
/// states.
template <class Executor, class Schedule, tile_set Tiles>
plan<Executor, Schedule, Tiles> make_plan(const Executor& exec, const Schedule& schedule,
                                          const Tiles& tiles) {
  return {exec, schedule, tiles};
}

/// What skeletons run: a plan, or what stands for one.
template <class P>
concept planned = executor<typename P::executor_type> && tile_set<typename P::tiles_type> &&
                  requires(P& plan, const typename P::executor_type& exec) {
                    { plan.tiles() } -> std::convertible_to<typename P::tiles_type>;
                    { plan.atoms() } -> std::convertible_to<std::int64_t>;
                    { plan.first_atom() } -> std::convertible_to<atom_type<typename P::tiles_type>>;
                    requires mapping<typename std::remove_cvref_t<decltype(plan.launch())>::mapping_type>;
                    { plan.start(exec) } -> std::same_as<workspace::lease>;
                  };

} // namespace evenly
