// SPDX-License-Identifier: Apache-2.0
// make_plan: what a schedule prepares once for one tile set, to be run many times.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/in_use.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

namespace detail {

/// What the host reads back from inspect_tiles.
template <tile_set Tiles> struct inspection {
  std::int64_t first_bad; ///< the first tile that breaks a law of tile_set.hpp, or its start value, no tile
  atom_type<Tiles> first;
  atom_type<Tiles> last;
  atom_type<Tiles> bad_begin;
  atom_type<Tiles> bad_end;
};
inline constexpr std::int64_t no_tile = std::numeric_limits<std::int64_t>::max();

template <tile_set Tiles> struct inspect_tiles {
  Tiles tiles;
  std::int64_t tiles_per_block;
  inspection<Tiles>* result;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    using tile = tile_type<Tiles>;
    const std::int64_t first = block.index() * tiles_per_block;
    const std::int64_t last = smaller<std::int64_t>(first + tiles_per_block, tiles.tiles());
    std::int64_t bad = no_tile;
    for (std::int64_t i = first + block.rank(); i < last; i += block.size()) {
      const auto t = static_cast<tile>(i);
      const auto begin = tiles.begin(t);
      const auto end = tiles.end(t);
      const bool good = begin >= 0 && begin <= end && (i + 1 == tiles.tiles() || end == tiles.begin(t + 1));
      if (!good) bad = smaller(bad, i);
    }
    if (bad != no_tile) atomic_ref(result->first_bad).fetch_min(bad);
  }
};

/// Copies what the message needs, by one thread, after all of inspect_tiles is done.
template <tile_set Tiles> struct inspect_ends {
  Tiles tiles;
  inspection<Tiles>* result;

  template <class Block> EVENLY_FN void operator()(Block& block) const {
    using tile = tile_type<Tiles>;
    if (block.rank() != 0) return;
    result->first = tiles.begin(0);
    result->last = tiles.end(static_cast<tile>(tiles.tiles() - 1));
    if (result->first_bad == no_tile) return;
    result->bad_begin = tiles.begin(static_cast<tile>(result->first_bad));
    result->bad_end = tiles.end(static_cast<tile>(result->first_bad));
  }
};

template <tile_set Tiles> std::string describe_bad_tile(const inspection<Tiles>& seen) {
  if constexpr (requires { Tiles::describe(seen.first_bad, seen.bad_begin, seen.bad_end); }) {
    return Tiles::describe(seen.first_bad, seen.bad_begin, seen.bad_end);
  } else {
    return "tile " + std::to_string(seen.first_bad) + " has atoms [" + std::to_string(seen.bad_begin) + ", " +
           std::to_string(seen.bad_end) +
           "): tiles must begin at 0 or later, not end before they begin, and "
           "follow each other without gaps";
  }
}

/// Checks the laws of tile_set.hpp and finds the atoms. Synchronises. One coalesced pass over the offsets.
template <class Executor, tile_set Tiles> extent<Tiles> inspect(const Executor& exec, const Tiles& tiles) {
  require(tiles.tiles() >= 0,
          [&] { return "tiles = " + std::to_string(tiles.tiles()) + ": must not be negative"; });
  if (tiles.tiles() == 0) return {};
  inspection<Tiles> seen{};
  seen.first_bad = no_tile;
  const auto result = make_buffer<inspection<Tiles>>(exec, 1);
  exec.copy_from_host(result.data(), &seen, sizeof(seen));
  const std::int64_t per_block = items_per_block(exec, tiles.tiles(), 1024);
  launch(exec, {block_count(tiles.tiles(), per_block), 256},
         inspect_tiles<Tiles>{tiles, per_block, result.data()});
  launch(exec, {1, 1}, inspect_ends<Tiles>{tiles, result.data()});
  exec.copy_to_host(&seen, result.data(), sizeof(seen));
  if (seen.first_bad != no_tile) throw invalid_argument(describe_bad_tile<Tiles>(seen));
  return {seen.first, static_cast<std::int64_t>(seen.last) - seen.first};
}

} // namespace detail

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
