// SPDX-License-Identifier: Apache-2.0
// plan_base: the part of a plan (tiles_plan.hpp) that does not depend on the schedule: executor, tile set, memory, and
// the checks before a run. It is compiled once for all schedules.
#pragma once

#include <cstdint>
#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/detail/planning.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly::detail {

template <class Executor, class Tiles> class plan_base {
  static_assert(executor<Executor>,
                "a plan needs an executor with the members that execution/executor.hpp requires");

 public:
  using executor_type = Executor;
  using tiles_type = Tiles;

  const Tiles& tiles() const { return tiles_; }
  /// The number of the first atom; the atoms are [first_atom(), first_atom() + atoms()).
  atom_type<Tiles> first_atom() const
  requires(!sized_on_device<Tiles>)
  {
    return extent_.first_atom;
  }
  /// The number of atoms of the whole tile set.
  std::int64_t atoms() const
  requires(!sized_on_device<Tiles>)
  {
    return extent_.atoms;
  }
  /// A copy of the executor that the plan was made on.
  const Executor& exec() const { return exec_; }
  /// The maximum numbers of tiles and atoms of a tile set that the plan is bound to.
  const capacity& max_size() const { return max_; }
  [[deprecated("use max_size")]] const capacity& most() const { return max_size(); }

  /// Returns the sizes of a tile set sized on the device. Synchronises. Throws invalid_argument if they exceed the
  /// plan's capacity; runs then do nothing.
  sizes<Tiles> read_sizes(const Executor& exec) const
  requires sized_on_device<Tiles>
  {
    const sizes<Tiles> found = detail::read_sizes(exec, tiles_, max_);
    require_room({found.tiles, found.all.atoms});
    return found;
  }

  /// Starts a run on `exec`. Skeletons hold the returned lease during the run and take memory from it
  /// (execution/memory.hpp). On cuda a run ends, for the host, when its work is started.
  ///
  /// Throws invalid_argument if the plan is not for such executors, if the host finds that the tile set has other atoms
  /// than before, or if the plan is in use (execution/memory.hpp).
  template <bool Checked = EVENLY_CHECKED != 0> workspace::lease_of<Checked> start(const Executor& exec) {
    require_alike(exec);
    if constexpr (Executor::on_host) require_unchanged();
    return workspace::lease_of<Checked>(memory_, "plan");
  }

 protected:
  plan_base(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all, const capacity& max_size)
      : exec_(exec), tiles_(tiles), extent_(all),
        max_{larger<std::int64_t>(max_size.tiles, max_tiles(tiles)), larger(max_size.atoms, all.atoms)},
        where_(memory_of(exec)), warp_size_(warp_size_of(exec)) {}

  void set_tiles(const Tiles& tiles, const extent<Tiles>& all) {
    tiles_ = tiles;
    extent_ = all;
  }
  /// Records the sizes of a tile set sized on the device, if the host can read them. Called after the schedule has
  /// prepared the tiles.
  void note_sizes() {
    if constexpr (sized_on_device<Tiles> && Executor::on_host)
      found_ = detail::read_sizes(exec_, tiles_, max_);
  }
  workspace& memory() { return memory_; }

  void require_alike(const Executor& exec) const;
  void require_room(const capacity& needed) const;

 private:
  static int warp_size_of(const Executor& exec) {
    if constexpr (requires { exec.shape_of(1); })
      return exec.shape_of(1).warp;
    else
      return 1;
  }
  void require_unchanged() const;

  Executor exec_;
  Tiles tiles_;
  extent<Tiles> extent_; ///< for tile sets sized on the device: the maximum
  capacity max_;
  workspace memory_;
  sizes<Tiles> found_{}; ///< recorded by note_sizes
  int where_;            ///< the place of its memory
  int warp_size_;
};

template <class Executor, class Tiles>
void plan_base<Executor, Tiles>::require_alike(const Executor& exec) const {
  require(memory_of(exec) == where_, [&] {
    return detail::concat("the plan is in the memory of ", memory_name(where_),
                          ", but the executor uses that of ", memory_name(memory_of(exec)));
  });
  require(warp_size_of(exec) == warp_size_, [&] {
    return detail::concat("the plan was made for warps of ", warp_size_,
                          " threads, but the executor has warps of ", warp_size_of(exec));
  });
}

template <class Executor, class Tiles>
void plan_base<Executor, Tiles>::require_room(const capacity& needed) const {
  const auto require_max = [](std::int64_t number, std::int64_t max, const char* what) {
    require(number >= 0 && number <= max, [&] {
      return detail::concat("the plan has room for ", max, what, ", but there are ", number,
                            ": make it with a larger capacity{tiles, atoms}");
    });
  };
  require_max(needed.tiles, max_.tiles, " tiles");
  require_max(needed.atoms, max_.atoms, " atoms");
}

template <class Executor, class Tiles> void plan_base<Executor, Tiles>::require_unchanged() const {
  extent<Tiles> planned = extent_, now = extent_;
  if constexpr (sized_on_device<Tiles>) {
    const sizes<Tiles> found = read_sizes(exec_);
    planned = found_.all;
    now = found.all;
    require(found.tiles == found_.tiles, [&] {
      return detail::concat("the plan is for ", found_.tiles, " tiles, but there are ", found.tiles,
                            " now: call rebind first");
    });
  } else if (tiles_.tiles() > 0) {
    now = detail::extent_of<Executor, Tiles>(exec_, {tiles_, {}});
  }
  require(now.first_atom == planned.first_atom && now.atoms == planned.atoms, [&] {
    const auto atoms = [](const extent<Tiles>& all) {
      return detail::concat("[", all.first_atom, ", ", static_cast<std::int64_t>(all.first_atom) + all.atoms,
                            ")");
    };
    return detail::concat("the plan is for tiles with atoms ", atoms(planned), ", but they are ", atoms(now),
                          " now: the arrays of a tile set must not change");
  });
}

} // namespace evenly::detail
