// SPDX-License-Identifier: Apache-2.0
// for_each_tile: calls a function with every tile, whole, by a team with storage of its own. The skeleton of what needs
// a tile's atoms together and is no sum of them: hash tables of sparse products, intersections, medians.
//
// It runs under schedules that keep tiles whole. Who has a tile:
//
//   team<G>    the team, if a warp has room for it. Wider teams wait for each other at the block's barriers, and a
//              function may wait as often as its tile needs: so their tiles go to the whole block, one after the other
//   batch<G>   the tiles that end in a batch go to its group, one after the other; if the group is wide to groups of
//              32, which take them in turn
//   piece      a giant, which the schedule cuts for many blocks: each piece goes to the function's member `shared`, by
//              a block; if it has none the block of the first piece has the giant whole
// A schedule that sorts tiles into bins by their size gives each bin a launch of its own, with a block size and storage
// that suit it; pieces have one as well.
// An empty tile is a team's as others are; where a schedule of batches hands it to one thread, a group of 32 takes it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "evenly/algorithms/detail/team_storage.hpp"
#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/device_copyable.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/shape.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/schedules/detail/group_size.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/schedules/sharing.hpp"
#include "evenly/work/tile_set.hpp"

namespace evenly {

/// Whether each tile is one team's, but for giants, which may be cut into pieces.
template <class Mapping>
concept keeps_tiles_whole = mapping<Mapping> && sharing::all_keep_whole<typename Mapping::sharings>;

namespace detail {

template <class Forms> inline constexpr bool has_batches = false;
template <int G> inline constexpr bool has_batches<sharing::batch<G>> = true;
template <class... Forms>
inline constexpr bool has_batches<sharing::list<Forms...>> = (has_batches<Forms> || ...);
template <class Form> inline constexpr bool is_single_thread = std::is_same_v<Form, sharing::team<1>>;

/// Whether a function has a member for pieces of giants.
template <class Body, class Team, class Tile, class Atom, class Block, class... Ts>
concept shares_giants =
    requires(const Body& body, const Team& me, Tile t, Atom a, Block& block, const slot<Ts>&... places) {
      body.shared(me, t, a, a, block.storage(places)...);
    };

/// body(arguments...), or a sentence.
template <class Body> struct calls_body {
  const Body& body;

  template <class... Arguments> EVENLY_FN void operator()(const Arguments&... arguments) const {
    static_assert(std::invocable<const Body&, const Arguments&...>,
                  "body must accept body(team, tile, begin, end, storage...), with const auto& for the team "
                  "and its storages, whose types depend on the schedule");
    if constexpr (std::invocable<const Body&, const Arguments&...>) body(arguments...);
  }
};

} // namespace detail

struct for_each_tile_slots {
  slot<detail::storage_unit> storages;
  slot<std::int64_t> tiles; ///< of each thread one that waits for a team; -1: none
};

template <tile_set Tiles, class Body, class... Ts> struct for_each_tile_consumer {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr bool is_copyable = is_device_copyable<Body>;

  Tiles tiles;
  Body body;
  team_storages<Ts...> storages;
  int group;        ///< threads of a group, where the mapping has been told
  std::int64_t max; ///< atoms of the largest tile, where that is known

  template <class Form> static constexpr bool takes = std::is_same_v<Form, sharing::piece>;

  /// Storage for all teams of any form that is handed out; single threads beside batches have empty tiles only.
  template <class... Forms>
  EVENLY_FN constexpr std::int64_t units(sharing::list<Forms...>, block_shape shape) const {
    std::int64_t units = 0;
    constexpr bool batches = (detail::has_batches<Forms> || ...);
    ((units = batches && detail::is_single_thread<Forms>
                  ? units
                  : larger(units, units_for(detail::teams_for<Forms>::in(group, shape)))),
     ...);
    if (batches)
      units = larger(units, units_for(detail::teams_of_size<detail::threads_in_turn>(group, shape)));
    return units;
  }
  EVENLY_FN constexpr std::int64_t units_for(teams_with_storage teams) const {
    teams.atoms = max;
    return storages.units(teams);
  }
  template <class... Forms>
  EVENLY_FN constexpr for_each_tile_slots lay_out(sharing::list<Forms...> forms, storage_layout& layout,
                                                  block_shape shape) const {
    return {layout.take<detail::storage_unit>(static_cast<int>(units(forms, shape))),
            layout.take<std::int64_t>(shape.size)};
  }

  template <class Block, class Slots, class Forms> struct worker {
    static constexpr bool wants_empty_tiles = true;
    static constexpr bool has_batches = detail::has_batches<Forms>;

    worker_copy<for_each_tile_consumer, Block> work;
    Block& block;
    const Slots& slots;
    std::int64_t left = -1; ///< a tile of the thread that waits for a team

    template <int G> EVENLY_FN void operator()(sharing::team<G> form, const team_part<tile, atom>& part) {
      const auto me = team_of(block, form);
      if constexpr (has_batches && G == 1) {
        left = part.tile;
      } else if constexpr (G == whole_block) {
        call(me, part.tile, part.begin, part.end);
      } else if (!me.wide()) {
        call(me, part.tile, part.begin, part.end);
      } else {
        if (me.rank() == 0 && me.has_thread())
          note(me.index(), part.has_tile ? static_cast<std::int64_t>(part.tile) : -1);
        block.sync();
        take_by_block(me.count());
      }
    }

    EVENLY_FN void operator()(sharing::piece, const piece_part<Tiles>& part) {
      const team<whole_block, Block> all(block);
      if constexpr (detail::shares_giants<Body, decltype(all), tile, atom, Block, Ts...>) {
        const auto shared = [&](const auto&... arguments) { work.body.shared(arguments...); };
        call_function(shared, all, part.tile, part.begin, part.end);
      } else if (part.first) {
        call(all, part.tile, work.tiles.begin(part.tile), work.tiles.end(part.tile));
      }
    }

    /// Never handed out: keeps_tiles_whole.
    template <bool Cut, class Run> EVENLY_FN void operator()(sharing::run<Cut>, const Run&) const {}

    template <int G, class Run> EVENLY_FN void operator()(sharing::batch<G> form, const Run& run) const {
      const auto me = team_of(block, form);
      run.for_each([&](bool, tile t, atom, bool ends) {
        note(block.rank(), ends ? static_cast<std::int64_t>(t) : -1);
        me.sync();
        if (me.wide()) {
          take_in_turn();
        } else {
          const int first = block.rank() - me.rank();
          for (int i = 0; i < me.size(); ++i) take(me, first + i);
        }
        me.sync();
      });
    }

    EVENLY_FN void finish() const {
      if constexpr (has_batches) {
        note(block.rank(), left);
        block.sync();
        take_in_turn();
      }
    }

   private:
    EVENLY_FN void note(int place, std::int64_t t) const { block.storage(slots.tiles)[place] = t; }

    /// The tile at a place, if there is one, by all of a team.
    template <class Team> EVENLY_FN void take(const Team& me, int place) const {
      const std::int64_t noted = block.storage(slots.tiles)[place];
      if (noted < 0) return;
      const auto t = static_cast<tile>(noted);
      call(me, t, work.tiles.begin(t), work.tiles.end(t));
    }
    EVENLY_FN void take_by_block(int places) const {
      const team<whole_block, Block> all(block);
      for (int i = 0; i < places; ++i) take(all, i);
      block.sync();
    }
    EVENLY_FN void take_in_turn() const {
      const team<detail::threads_in_turn, Block> takers(block);
      if (takers.wide()) {
        take_by_block(block.size());
      } else if (takers.has_thread()) {
        for (int i = takers.index(); i < block.size(); i += takers.count()) take(takers, i);
      }
    }

    template <class Team> EVENLY_FN void call(const Team& me, tile t, atom begin, atom end) const {
      call_function(detail::calls_body<Body>{work.body}, me, t, begin, end);
    }
    template <class Function, class Team>
    EVENLY_FN void call_function(const Function& function, const Team& me, tile t, atom begin,
                                 atom end) const {
      call_with_storage(block, work.storages, slots.storages,
                        teams_with_storage{me.size(), me.count(), work.max}, me.index(), function, me, t,
                        begin, end);
      me.sync();
    }
  };
};

namespace detail {

/// The group size that a mapping has been given at run time; 1 if it knows it without.
template <class Mapping> int runtime_group_of(const Mapping& mapping) {
  if constexpr (requires { mapping.form.size.threads; })
    return mapping.form.size.threads;
  else
    return 1;
}

/// Storage of all teams of a block, at most.
template <class Executor> std::size_t room_for_teams(const Executor& exec) {
  if constexpr (Executor::serial_blocks)
    return std::size_t{1} << 30;
  else
    return exec.max_storage();
}

/// Runs the consumer of a body under one launch.
template <class Executor, class Mapping, class Body, class... Ts>
void launch_tiles(const Executor& exec, const launch_of<Mapping>& each,
                  const typename Mapping::tiles_type& tiles, const Body& body,
                  const team_storages<Ts...>& storages, std::int64_t max) {
  using consumer = for_each_tile_consumer<typename Mapping::tiles_type, Body, Ts...>;
  using forms = lowered_forms<consumer, typename Mapping::sharings>;
  const consumer bound{tiles, body, storages, runtime_group_of(each.mapping), max};
  const int size = each.shape.block_size;
  const auto units = bound.units(forms{}, shape_of_block(exec, size));
  require_storage(static_cast<std::size_t>(units) * sizeof(storage_unit), size, room_for_teams(exec));
  launch_skeleton(exec, each, bound);
}

/// Whether a schedule's launch can be had as one for each bin of tiles.
template <class Mapping>
inline constexpr bool has_bins = !std::is_same_v<typename host_part<Mapping>::type, nothing>;

/// The shape of a bin's launch: groups that suit its tiles, and large blocks for large tiles; smaller blocks until four
/// of them have room, and wider groups until one has.
template <class Executor, class... Ts>
auto shape_of_bin(const Executor& exec, int block_size, const team_storages<Ts...>& storages, int group,
                  std::int64_t max) {
  struct shape {
    int group, block_size;
  };
  if constexpr (Executor::serial_blocks) return shape{1, block_size};
  constexpr int max_atoms_of_thread = 16, warp = 32;
  const std::size_t room = room_for_teams(exec);
  int size = block_size;
  const auto bytes = [&] {
    const block_shape block = shape_of_block(exec, size);
    const int threads = team_size(group, block);
    teams_with_storage teams = groups_or_block(threads, size / threads, block);
    teams.atoms = max;
    return static_cast<std::size_t>(storages.units(teams)) * sizeof(storage_unit);
  };
  if (group == whole_block)
    while (2 * size <= max_block_size && std::int64_t{max_atoms_of_thread} * size < max) size *= 2;
  while (size > larger(warp, group) && bytes() > (group == whole_block ? room : room / 4)) size /= 2;
  while (group != whole_block && bytes() > room) group = group < warp ? 2 * group : whole_block;
  return shape{group, size};
}

} // namespace detail

/// Calls body(team, tile, begin, end, storage...) exactly once for EVERY tile, empty ones too, by all threads of a team
/// together; its atoms are [begin, end). Calls for different tiles run at the same time.
///
/// body: a trivially copyable function object, or an EVENLY_FN lambda, that takes the team and the storages as const
/// auto&. `team` is a team of block/team.hpp, of one thread, of part of a warp, of a warp, or of the whole block, with
/// rank(), size(), sync() and all collectives; in all of them its threads wait for each other only. `storage`: one for
/// each team_storage<T>, which the team has for itself: storage[i] is an element, and storage.size() how many were
/// asked for, for a team of so many threads (block/storage.hpp). It holds what the team wrote there for its tile
/// before, or nothing; scratch for collectives is a storage like any other. The team is synchronised between two tiles.
/// A tile that the schedule cuts for many blocks, a giant, is a block's as well, unless body has a member
///   shared(team, tile, part_begin, part_end, storage...)
/// which is then called instead, by blocks, for parts that make up the tile; they run at the same time, in any order,
/// and meet in memory of the body's own, atomically.
///
/// Under a schedule that gives each bin of sizes a launch, the largest tiles first, storage may be asked for each atom:
/// as much as the bin's largest tile needs, a power of two of atoms, or a giant's piece; whoever has per_atom and no
/// `shared` compares storage.size() with what a giant needs. Groups are as wide, and blocks as large, as storage and
/// sizes want.
///
/// Throws invalid_argument if a block has not so much storage, before the launch that needs it, and for storage for
/// each atom under other schedules. Asynchronous on cuda. Cost: the schedule's, and a barrier of the team for each
/// tile. A block of B threads in teams of G has B / G storages; if a schedule has teams of several sizes in one
/// launch, every block has as much as the size that needs most.
template <class Executor, class Plan, class Body, class... Ts>
requires planned<Plan>
void for_each_tile(const Executor& exec, Plan& plan, const Body& body, const team_storage<Ts>&... storages) {
  using mapping = typename std::remove_cvref_t<decltype(plan.launch())>::mapping_type;
  static_assert(keeps_tiles_whole<mapping>, "for_each_tile needs a schedule that keeps tiles whole, but this "
                                            "one distributes atoms across tile boundaries");
  static_assert(is_device_copyable<Body>, "body must be trivially copyable, because it is copied to the "
                                          "device: capture pointers and numbers by value");
  static_assert(std::is_same_v<Executor, typename Plan::executor_type>,
                "the plan was made for another executor");
  detail::note_parts(exec, plan.tiles(), body);
  if constexpr (keeps_tiles_whole<mapping>) {
    const auto& each = plan.launch();
    const auto all = storages_of(storages...);
    all.check();
    [[maybe_unused]] const auto run = plan.start(exec);
    if constexpr (detail::has_bins<mapping>) {
      for_each_bin(
          exec, each,
          [&](int group, std::int64_t max) {
            return detail::shape_of_bin(exec, each.shape.block_size, all, group, max);
          },
          [&](const auto& bin, std::int64_t max) {
            detail::launch_tiles(exec, bin, plan.tiles(), body, all, max);
          });
    } else {
      require(!all.counts_atoms(), [] {
        return std::string("storage per atom of a tile needs a schedule with separate launches by tile size");
      });
      detail::launch_tiles(exec, each, plan.tiles(), body, all, 0);
    }
  }
}

/// Under the schedule that was chosen (schedules/detail/chosen_plan.hpp); all candidates keep tiles whole.
template <class Executor, class Plan, class... Rest>
requires chosen<Plan>
void for_each_tile(const Executor& exec, Plan& plan, const Rest&... rest) {
  plan.visit([&](auto& each) { for_each_tile(exec, each, rest...); });
}

/// Plans and runs in one call, as reduce_tiles does.
template <class Executor, class Schedule, plannable Tiles, class Body, class... Ts>
requires(!planned<Schedule>)
void for_each_tile(const Executor& exec, const Schedule& schedule, const Tiles& tiles, const Body& body,
                   const team_storage<Ts>&... storages) {
  auto plan = make_plan_once(exec, schedule, tiles);
  for_each_tile(exec, plan, body, storages...);
}

} // namespace evenly
