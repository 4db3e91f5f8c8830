// SPDX-License-Identifier: Apache-2.0
// bound_tiles: the tile set that a plan is bound to, and all that a plan does without its schedule. Plans of the same
// executor and type of tile set share this code, whatever their schedules are.
#pragma once

#include <cstdint>
#include <string>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/workspace.hpp"
#include "evenly/schedules/detail/planning.hpp"
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

} // namespace detail

/// The base of plan (tiles_plan.hpp). Move-only.
template <class Executor, class Tiles> class bound_tiles {
  static_assert(executor<Executor>,
                "a plan is made on an executor, which has what execution/executor.hpp says");

 public:
  using executor_type = Executor;
  using tiles_type = Tiles;

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
    return lease<Checked>();
  }

 protected:
  /// `all`: of tiles that are sized on the device, the most atoms that there may be.
  bound_tiles(const Executor& exec, const Tiles& tiles, const extent<Tiles>& all, const capacity& most)
      : exec_(exec), tiles_(tiles), extent_(all),
        most_{larger<std::int64_t>(most.tiles, most_tiles(tiles)), larger(most.atoms, all.atoms)},
        where_(memory_of(exec)), warp_size_(warp_size_of(exec)) {}

  /// The plan's memory, for as long as what it prepares is changed.
  template <bool Checked = EVENLY_CHECKED != 0> workspace::lease_of<Checked> lease() {
    return workspace::lease_of<Checked>(memory_, "plan");
  }

  /// Takes other tiles, with the atoms `all`.
  void set_tiles(const Tiles& tiles, const extent<Tiles>& all) {
    tiles_ = tiles;
    extent_ = all;
    note_sizes();
  }
  /// Of tiles that are sized on the device, where the host can read the sizes: notes what they are.
  void note_sizes() {
    if constexpr (sized_on_device<Tiles> && Executor::on_host)
      found_ = detail::read_sizes(exec_, tiles_, most_);
  }
  /// Throws invalid_argument if the plan is for executors of another kind.
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
  /// Throws invalid_argument if the plan has no room for so many tiles and atoms.
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

 private:
  /// Throws invalid_argument if the host sees that the tile set has other atoms than it had.
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

  static int warp_size_of(const Executor& exec) {
    if constexpr (requires { exec.shape_of(1); })
      return exec.shape_of(1).warp;
    else
      return 1;
  }

  Executor exec_;
  Tiles tiles_;
  extent<Tiles> extent_; ///< of tiles that are sized on the device: the most there may be
  capacity most_;
  workspace memory_;
  sizes<Tiles>
      found_{}; ///< of tiles that are sized on the device, when they were bound, if the host sees them
  int where_;   ///< its memory
  int warp_size_;
};

} // namespace evenly
