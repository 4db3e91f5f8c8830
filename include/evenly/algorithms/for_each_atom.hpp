// SPDX-License-Identifier: Apache-2.0
// for_each_atom: calls a function with every atom and the tile that it belongs to. The skeleton of expansion,
// scattering and graph traversal.
//
// Each way of sharing a tile is handled once:
//   team<G>       the team strides over its tile
//   blocked_run   each thread walks its run and leaves each atom's tile in storage; then atoms are visited in
//                 coalesced order
//   striped_run   is in that order already
//   serial_run    tile by tile; cpu's blocks get all runs like this
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

template <tile_set Tiles, class Visit> struct for_each_atom_consumer {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr bool with_rank = std::invocable<const Visit&, tile, atom, atom>;
  static_assert(with_rank || std::invocable<const Visit&, tile, atom>,
                "visit is called as visit(tile, atom, rank) or visit(tile, atom)");

  Tiles tiles;
  Visit visit;

  struct storage_slots {
    slot<int> tile_of; ///< an atom's tile, counted from the chunk's first
  };
  template <int Items> EVENLY_FN static constexpr int needs(sharing::blocked_run<Items>, block_shape shape) {
    return shape.size * Items;
  }
  template <class Sharing> EVENLY_FN static constexpr int needs(Sharing, block_shape) { return 0; }

  template <class... Sharings>
  EVENLY_FN static constexpr storage_slots lay_out(sharing::list<Sharings...>, storage_layout& layout,
                                                   block_shape shape) {
    int most = 0;
    for (const int each : {needs(Sharings{}, shape)...}) most = larger(most, each);
    return {layout.take<int>(most)};
  }

  EVENLY_FN void call(tile t, atom a) const {
    if constexpr (with_rank)
      visit(t, a, static_cast<atom>(a - tiles.begin(t)));
    else
      visit(t, a);
  }

  template <class Block, class Slots, class Sharings> struct worker {
    static constexpr bool wants_empty_tiles = false;

    const for_each_atom_consumer& work;
    Block& block;
    const Slots& slots;

    template <int G> EVENLY_FN void operator()(sharing::team<G>, const team_part<tile, atom>& part) const {
      const team<G, Block> me(block);
      for_strided(part.begin, part.end, me.rank(), me.size(), [&](atom a) {
        if constexpr (with_rank)
          work.visit(part.tile, a, static_cast<atom>(a - part.begin));
        else
          work.visit(part.tile, a);
      });
    }

    EVENLY_FN void operator()(sharing::serial_run, const run_chunk<tile, atom>& chunk) const {
      atom a = chunk.first_atom;
      for (tile t = chunk.first_tile; a < chunk.last_atom; ++t) {
        const atom end = t < chunk.last_tile ? work.tiles.end(t) : chunk.last_atom;
        for (; a < end; ++a) work.call(t, a);
      }
    }

    template <int Items, class Run>
    EVENLY_FN void operator()(sharing::blocked_run<Items>, const Run& run) const {
      const auto tile_of = block.storage(slots.tile_of);
      run.walk([&](int, int k, int t) { tile_of[k] = t; }, [](int, int) {});
      block.sync();
      const int atoms = static_cast<int>(run.chunk.last_atom - run.chunk.first_atom);
      EVENLY_UNROLL
      for (int i = 0; i < Items; ++i) {
        const int k = block.rank() + i * block.size();
        if (k < atoms)
          work.call(static_cast<tile>(run.chunk.first_tile + tile_of[k]), run.chunk.first_atom + k);
      }
    }

    template <int Items, class Run>
    EVENLY_FN void operator()(sharing::striped_run<Items>, const Run& run) const {
      run.for_each([&](int, int k, tile t) { work.call(t, run.first_atom + k); });
    }

    EVENLY_FN void finish() const {}
  };
};

/// Calls visit(tile, atom, rank) or visit(tile, atom) exactly once for every atom; rank = atom - begin(tile).
///
/// visit: a trivially copyable function object that runs on `exec`, with concrete parameter types. Calls for
/// different atoms run at the same time: what they share they access atomically. Without `rank`, schedules
/// that search do not read the tile's offset. Asynchronous on cuda.
template <class Executor, class Plan, class Visit>
requires is_plan<Plan>
void for_each_atom(const Executor& exec, Plan& plan, const Visit& visit) {
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
  run_skeleton(exec, plan, [&](const auto&) {
    return for_each_atom_consumer<typename Plan::tiles_type, Visit>{plan.tiles(), visit};
  });
}

/// Plans and runs in one call. Synchronises while it plans.
template <class Executor, class Schedule, tile_set Tiles, class Visit>
requires(!is_plan<Schedule>) void for_each_atom(const Executor& exec, const Schedule& schedule,
                                                const Tiles& tiles, const Visit& visit) {
  auto plan = make_plan(exec, schedule, tiles);
  for_each_atom(exec, plan, visit);
}

} // namespace evenly
