// SPDX-License-Identifier: Apache-2.0
// for_each_atom: calls a function with every atom and its tile. This is the skeleton of expansion, scattering and graph
// traversal.
//
// A team strides over its tile, and the block over a piece. In a run each thread visits its own atoms. In a batch and
// in a striped run, consecutive threads visit consecutive atoms.
#pragma once

#include <concepts>
#include <type_traits>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// The consumer of for_each_atom.
template <tile_set Tiles, class Visit> struct for_each_atom_consumer {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr bool with_rank = std::invocable<const Visit&, tile, atom, atom>;
  /// Whether visit also accepts the tiles of four consecutive atoms.
  static constexpr bool takes_four =
      sizeof(tile) == 4 && std::invocable<const Visit&, four_tiles<tile>, atom>;
  static constexpr bool is_copyable = is_device_copyable<Visit>;

  Tiles tiles;
  Visit visit;

  template <class Form> static constexpr bool takes = sharing::blocked_items<Form> == 0;

  EVENLY_INLINE_FN void call(tile t, atom a) const {
    if constexpr (with_rank)
      visit(t, a, static_cast<atom>(a - tiles.begin(t)));
    else
      visit(t, a);
  }

  template <class Block, class Slots, class Sharings> struct worker {
    static constexpr bool wants_empty_tiles = false;
    static constexpr bool runs_need_no_storage = true;

    worker_copy<for_each_atom_consumer, Block> work;
    Block& block;
    const Slots& slots;

    template <int G>
    EVENLY_FN void operator()(sharing::team<G> form, const team_part<tile, atom>& part) const {
      const auto me = team_of(block, form);
      for_strided(part.begin, part.end, me.rank(), me.size(), [&](atom a) {
        if constexpr (with_rank)
          work.visit(part.tile, a, static_cast<atom>(a - part.begin));
        else
          work.visit(part.tile, a);
      });
    }

    EVENLY_FN void operator()(sharing::piece, const piece_part<Tiles>& part) const {
      for_strided(part.begin, part.end, block.rank(), block.size(), [&](atom a) { work.call(part.tile, a); });
    }

    template <int Items, class Run>
    EVENLY_FN void operator()(sharing::striped_run<Items>, const Run& run) const {
      const auto one = [&](int k, tile t) { work.call(t, static_cast<atom>(run.first_atom + k)); };
      if constexpr (takes_four) {
        const auto four = [&](int k, const four_tiles<tile>& t) {
          work.visit(t, static_cast<atom>(run.first_atom + k));
        };
        if constexpr (requires { run.for_each_four(four, one); })
          run.for_each_four(four, one);
        else
          run.for_each(one);
      } else {
        run.for_each(one);
      }
    }

    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::run<Cut>, const Run& run) const {
      run.for_each([&](tile t, atom a) { work.call(t, a); });
    }

    template <int G, class Run> EVENLY_FN void operator()(sharing::batch<G>, const Run& run) const {
      run.for_each([&](bool has, tile t, atom a, bool) {
        if (has) work.call(t, a);
      });
    }
  };
};

namespace detail {

template <class Executor, class Plan, class Visit>
void visit_planned(const Executor& exec, Plan& plan, const Visit& visit) {
  static_assert(visits<Visit, typename Plan::tiles_type>::holds);
  note_parts(exec, plan.tiles(), visit);
  const for_each_atom_consumer<typename Plan::tiles_type, Visit> consumer{plan.tiles(), visit};
  [[maybe_unused]] const auto run = plan.start(exec);
  launch_skeleton(exec, plan.launch(), consumer);
}

} // namespace detail

/// for_each_atom(exec, plan, visit)
/// for_each_atom(exec, schedule, tiles, visit)
///
/// Calls visit(tile, atom, rank) or visit(tile, atom) exactly once for every atom; rank = atom - begin(tile).
///
/// - `visit`: a trivially copyable function object with concrete parameter types; it runs on `exec`.
/// - Calls for different atoms run concurrently: visit accesses shared memory atomically.
/// - Without `rank`, schedules that search do not read the tile's offset.
/// - If visit also accepts (four_tiles<tile>, atom), a schedule may pass it the tiles of four consecutive atoms and the
///   first of these atoms.
/// - Cost: the schedule's, and a call per atom. Asynchronous on cuda.
/// - Throws invalid_argument if the plan was made for another device.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void for_each_atom(const Executor& exec, How&& how, Rest&&... rest) {
  detail::run_skeleton(
      exec, how, work_kind::visits,
      [&](auto& plan, auto&... arguments) { detail::visit_planned(exec, plan, arguments...); }, rest...);
}

} // namespace evenly
