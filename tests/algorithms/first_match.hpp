// SPDX-License-Identifier: Apache-2.0
// A skeleton of three handlers and nothing else: the first atom of each tile that satisfies a predicate. It shows that
// they are enough for every schedule, and CONTRIBUTING.md shows how one is written by it.
#pragma once

#include <cstdint>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

template <tile_set Tiles, class Predicate> struct first_match_consumer {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr bool is_copyable = is_device_copyable<Predicate>;

  Predicate matches;
  atom* first; ///< of each tile

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = false;

    const first_match_consumer& work;
    Block& block;
    const Slots& slots;

    template <int G>
    EVENLY_FN void operator()(sharing::team<G> form, const team_part<tile, atom>& part) const {
      const auto me = team_of(block, form);
      bool found = false;
      for_strided(part.begin, part.end, me.rank(), me.size(),
                  [&](atom a) { found = found || note(part.tile, a); });
    }
    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::run<Cut>, const Run& run) const {
      tile found = -1;
      run.for_each([&](tile t, atom a) {
        if (t != found && note(t, a)) found = t;
      });
    }
    template <int G, class Run> EVENLY_FN void operator()(sharing::batch<G>, const Run& run) const {
      run.for_each([&](bool has, tile t, atom a, bool) {
        if (has) note(t, a);
      });
    }

   private:
    /// Whether the atom matches. In every form, other threads have other atoms of the tile.
    EVENLY_FN bool note(tile t, atom a) const {
      const bool match = work.matches(a);
      if (match) atomic_ref(work.first[t]).fetch_min(a);
      return match;
    }
  };
};

namespace detail {

template <tile_set Tiles> struct end_of_tile {
  Tiles tiles;
  EVENLY_FN auto operator()(std::int64_t t) const { return tiles.end(static_cast<tile_type<Tiles>>(t)); }
};

} // namespace detail

/// first[t] = the first atom of tile t for which matches(atom) is true, or the tile's end if there is none.
template <class Executor, class Plan, class Predicate>
requires planned<Plan>
void first_match(const Executor& exec, Plan& plan, const Predicate& matches,
                 atom_type<typename Plan::tiles_type>* first) {
  using tiles = typename Plan::tiles_type;
  tabulate(exec, plan.tiles().tiles(), detail::end_of_tile<tiles>{plan.tiles()}, first);
  [[maybe_unused]] const auto run = plan.start(exec);
  launch_skeleton(exec, plan.launch(), first_match_consumer<tiles, Predicate>{matches, first});
}

} // namespace evenly
