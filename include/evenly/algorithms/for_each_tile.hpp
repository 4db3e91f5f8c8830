// SPDX-License-Identifier: Apache-2.0
// for_each_tile: calls a function once for every tile, by a team of threads with storage of its own. Use it if an
// operation needs all atoms of a tile together and is not a sum: hash tables of sparse products, intersections,
// medians.
//
// It runs under schedules that keep tiles whole. Which threads get a tile:
//
//   team<G>    the team, if it fits into a warp. Wider teams would share the block's barriers, and a function may
//              synchronise as often as its tile needs. Their tiles go to the whole block, one after the other
//   batch<G>   the batch's group, one tile after the other; if the group is wider than a warp, groups of 32 threads
//              take the tiles in turn
//   piece      a block: a giant tile is cut for many blocks, and each piece goes to the function's member `shared`.
//              Without that member, the block of the first piece gets the whole tile
//
// A schedule that sorts tiles into bins by size launches each bin separately, with a suitable block size and storage;
// pieces have a launch of their own too. An empty tile goes to a team as well. If a schedule of batches assigns it to
// one thread, a group of 32 takes it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "evenly/algorithms/skeleton.hpp"
#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/launches.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/tile_set.hpp"

// --- details ---------------------------------------------------------------------------------------------------------
// Storage of a team's own: its size, its place, and how it is passed to a user's function as arguments.
//
// A block has one storage per team, one after the other. Forms of sharing with teams of other sizes reuse the same
// bytes: a block uses one form at a time, or synchronises between two.

namespace evenly {

/// How many elements of T each team gets: `elements`, plus `per_thread` for each of its threads, plus `per_atom` for
/// each atom of the largest tile or piece of its launch.
template <class T> struct team_storage {
  int elements = 0;
  int per_thread = 0;
  int per_atom = 0;

  EVENLY_FN constexpr std::int64_t count(int threads, std::int64_t atoms) const {
    return elements + static_cast<std::int64_t>(per_thread) * threads + per_atom * atoms;
  }
};

/// The teams of a block that have storage at the same time.
struct teams_with_storage {
  int threads; ///< of each team
  int count;
  std::int64_t atoms = 0; ///< of the largest tile or piece
};

namespace detail {

/// The groups that process a batch's tiles, if it has more threads than a warp, and tiles left for later.
inline constexpr int threads_in_turn = 32;

/// Returns groups of `threads` threads; the whole block, if they would be wider than a warp.
EVENLY_FN constexpr teams_with_storage groups_or_block(int threads, int groups, block_shape shape) {
  return threads > shape.warp ? teams_with_storage{shape.size, 1} : teams_with_storage{threads, groups};
}

/// The teams that tiles of a form go to. `group`: the group size that a mapping got at run time, if any.
template <int G> EVENLY_FN constexpr teams_with_storage teams_of_size(int group, block_shape shape) {
  if constexpr (G == any_size) {
    const group_layout all = group_layout::of(group_size(group), shape);
    return groups_or_block(all.size, all.count, shape);
  } else {
    return groups_or_block(team_size(G, shape), team_count(G, shape), shape);
  }
}
template <class Form> struct teams_for {
  EVENLY_FN static constexpr teams_with_storage in(int, block_shape shape) { return {shape.size, 1}; }
};
template <int G> struct teams_for<sharing::team<G>> {
  EVENLY_FN static constexpr teams_with_storage in(int group, block_shape shape) {
    return teams_of_size<G>(group, shape);
  }
};
template <int G> struct teams_for<sharing::batch<G>> {
  EVENLY_FN static constexpr teams_with_storage in(int group, block_shape shape) {
    const teams_with_storage own = teams_of_size<G>(group, shape);
    return own.threads > shape.warp ? teams_of_size<threads_in_turn>(group, shape) : own;
  }
};

/// The unit of layout: each storage begins with one.
struct alignas(16) storage_unit {
  unsigned char bytes[16];
};
template <class T>
EVENLY_FN constexpr std::int64_t units_of(const team_storage<T>& each, const teams_with_storage& teams) {
  return ceil_div<std::int64_t>(each.count(teams.threads, teams.atoms) * static_cast<std::int64_t>(sizeof(T)),
                                sizeof(storage_unit));
}

} // namespace detail

/// Several storages, of any types.
template <class... Ts> struct team_storages {
  EVENLY_FN constexpr std::int64_t units(const teams_with_storage&) const { return 0; }
  void check() const {}
  bool counts_atoms() const { return false; }
};
template <class T, class... Rest> struct team_storages<T, Rest...> {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16,
                "elements of a team's storage must be trivially copyable and aligned to at most 16 bytes");
  team_storage<T> first;
  team_storages<Rest...> rest;

  /// Returns the units of all teams.
  EVENLY_FN constexpr std::int64_t units(const teams_with_storage& teams) const {
    return detail::units_of(first, teams) * teams.count + rest.units(teams);
  }
  /// Throws invalid_argument for negative numbers.
  void check() const {
    require(first.elements >= 0 && first.per_thread >= 0 && first.per_atom >= 0, [&] {
      return "a team's storage of " + std::to_string(first.elements) + " elements, " +
             std::to_string(first.per_thread) + " for each thread and " + std::to_string(first.per_atom) +
             " for each atom: none may be negative";
    });
    rest.check();
  }
  /// Whether some storage depends on the number of atoms of tiles.
  bool counts_atoms() const { return first.per_atom > 0 || rest.counts_atoms(); }
};

inline team_storages<> storages_of() { return {}; }
template <class T, class... Rest>
team_storages<T, Rest...> storages_of(const team_storage<T>& first, const team_storage<Rest>&... rest) {
  return {first, storages_of(rest...)};
}

/// Calls body(arguments..., storage...) with the storages of team `index` of `teams`, which start at `at`.
template <class Block, class Body, class... Arguments>
EVENLY_FN void call_with_storage(Block&, const team_storages<>&, slot<detail::storage_unit>,
                                 const teams_with_storage&, int, const Body& body,
                                 const Arguments&... arguments) {
  body(arguments...);
}
template <class Block, class T, class... Rest, class Body, class... Arguments>
EVENLY_FN void call_with_storage(Block& block, const team_storages<T, Rest...>& all,
                                 slot<detail::storage_unit> at, const teams_with_storage& teams, int index,
                                 const Body& body, const Arguments&... arguments) {
  constexpr auto unit = static_cast<std::uint32_t>(sizeof(detail::storage_unit));
  const auto each = static_cast<std::uint32_t>(detail::units_of(all.first, teams));
  const slot<T> mine{at.offset + static_cast<std::uint32_t>(index) * each * unit,
                     static_cast<std::uint32_t>(all.first.count(teams.threads, teams.atoms))};
  const std::uint32_t taken = each * static_cast<std::uint32_t>(teams.count);
  call_with_storage(block, all.rest, {at.offset + taken * unit, at.count - taken}, teams, index, body,
                    arguments..., block.storage(mine));
}

// ---------------------------------------------------------------------------------------------------------------------
// for_each_tile: see the head of this file.

/// Whether each tile goes to one team, except for giant tiles, which may be cut into pieces.
template <class Mapping>
concept keeps_tiles_whole = mapping<Mapping> && sharing::all_keep_whole<typename Mapping::sharings>;

namespace detail {

template <class Forms> inline constexpr bool has_batches = false;
template <int G> inline constexpr bool has_batches<sharing::batch<G>> = true;
template <class... Forms>
inline constexpr bool has_batches<sharing::list<Forms...>> = (has_batches<Forms> || ...);
template <class Form> inline constexpr bool is_single_thread = std::is_same_v<Form, sharing::team<1>>;

/// Whether a function has a member for pieces of giant tiles.
template <class Body, class Team, class Tile, class Atom, class Block, class... Ts>
concept shares_giants =
    requires(const Body& body, const Team& me, Tile t, Atom a, Block& block, const slot<Ts>&... places) {
      body.shared(me, t, a, a, block.storage(places)...);
    };

/// Calls body(arguments...), or fails with a readable message.
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

/// The storage of for_each_tile.
struct for_each_tile_slots {
  slot<detail::storage_unit> storages;
  slot<std::int64_t> tiles; ///< one tile per thread that waits for a team; -1: none
};

/// The consumer of for_each_tile.
template <tile_set Tiles, class Body, class... Ts> struct for_each_tile_consumer {
  using tile = tile_type<Tiles>;
  using atom = atom_type<Tiles>;
  static constexpr bool is_copyable = is_device_copyable<Body>;

  Tiles tiles;
  Body body;
  team_storages<Ts...> storages;
  int group;        ///< threads of a group, if the mapping got the size at run time
  std::int64_t max; ///< atoms of the largest tile, if known

  template <class Form> static constexpr bool takes = std::is_same_v<Form, sharing::piece>;

  /// Storage for all teams of every form that is used. Single threads next to batches have only empty tiles.
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
        const auto shared = [&](auto&... arguments) { work.body.shared(arguments...); };
        call_function(shared, all, part.tile, part.begin, part.end);
      } else if (part.first) {
        call(all, part.tile, work.tiles.begin(part.tile), work.tiles.end(part.tile));
      }
    }

    /// Never called, because of keeps_tiles_whole.
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

    /// Processes the tile at a place, if there is one. Called by all threads of a team.
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

/// Returns the group size that a mapping got at run time; 1 if the size is a constant.
template <class Mapping> int runtime_group_of(const Mapping& mapping) {
  if constexpr (requires { mapping.form.size.threads; })
    return mapping.form.size.threads;
  else
    return 1;
}

/// Returns the maximum storage of all teams of a block, in bytes.
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

/// Whether a schedule can launch each bin of tiles separately.
template <class Mapping>
inline constexpr bool has_bins = !std::is_same_v<typename host_part<Mapping>::type, nothing>;

/// Returns the shape of a bin's launch: groups that suit its tiles, and large blocks for large tiles. Blocks shrink
/// until four of them fit, and groups grow until one block fits.
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

template <class Executor, class Plan, class Body, class... Ts>
void visit_tiles_planned(const Executor& exec, Plan& plan, const Body& body,
                         const team_storage<Ts>&... storages) {
  using mapping = typename std::remove_cvref_t<decltype(plan.launch())>::mapping_type;
  static_assert(keeps_tiles_whole<mapping>, "for_each_tile needs a schedule that keeps tiles whole, but this "
                                            "one distributes atoms across tile boundaries");
  static_assert(is_device_copyable<Body>, "body must be trivially copyable, because it is copied to the "
                                          "device: capture pointers and numbers by value");
  note_parts(exec, plan.tiles(), body);
  if constexpr (keeps_tiles_whole<mapping>) {
    const auto& each = plan.launch();
    const auto all = storages_of(storages...);
    all.check();
    [[maybe_unused]] const auto run = plan.start(exec);
    if constexpr (has_bins<mapping>) {
      for_each_bin(
          exec, each,
          [&](int group, std::int64_t max) {
            return shape_of_bin(exec, each.shape.block_size, all, group, max);
          },
          [&](const auto& bin, std::int64_t max) { launch_tiles(exec, bin, plan.tiles(), body, all, max); });
    } else {
      require(!all.counts_atoms(), [] {
        return std::string("storage per atom of a tile needs a schedule with separate launches by tile size");
      });
      launch_tiles(exec, each, plan.tiles(), body, all, 0);
    }
  }
}

} // namespace detail

/// for_each_tile(exec, plan, body, storage...)
/// for_each_tile(exec, schedule, tiles, body, storage...)
///
/// Calls body(team, tile, begin, end, storage...) exactly once for EVERY tile, empty ones too. All threads of a team
/// make the call together; the tile's atoms are [begin, end). Calls for different tiles run concurrently.
///
/// Parameters:
/// - `body`: a trivially copyable function object or an EVENLY_FN lambda. It takes the team and the storages as const
///   auto&.
/// - `team`: a team of block/team.hpp: one thread, part of a warp, a warp, or the whole block. It has rank(), size(),
///   sync() and all collectives, which synchronise the threads of this team only. It is synchronised between two tiles.
/// - `storage`: one per `team_storage<T>`, private to the team. storage[i] is an element, and storage.size() the
///   requested number for a team of this size (block/block.hpp). Its contents are unspecified when the call begins:
///   uninitialised, or data of the team's previous tile. Scratch memory for collectives is such a storage.
///
/// Giant tiles: a schedule may cut a giant tile for many blocks. One block gets the whole tile, unless body has a
/// member
///   shared(team, tile, part_begin, part_end, storage...)
/// Blocks then call this member for the parts of the tile. The calls run concurrently, in any order, and combine their
/// results atomically in the body's own memory.
///
/// Storage per atom: a schedule that launches each bin separately, largest tiles first, allows `per_atom`. The storage
/// then has room for the bin's largest tile, rounded up to a power of two of atoms, or for a giant tile's piece. A body
/// with per_atom and without `shared` compares storage.size() with the needs of a giant tile. The storage and the sizes
/// of tiles determine the sizes of groups and blocks.
///
/// Determinism: `body` decides. Calls for different tiles run in any order, on any blocks.
///
/// Synchronisation: asynchronous on cuda. On cpu and simt the function returns when all calls have ended.
///
/// Errors and cost:
/// - Throws invalid_argument if a block has too little storage, before the launch that needs it; and for storage per
///   atom under other schedules.
/// - Throws invalid_argument if the plan was made for another device.
/// - Cost: the schedule's, and a barrier of the team per tile. A block of B threads in teams of G has B / G storages.
///   If one launch has teams of several sizes, every block has the storage of the largest requirement.
template <class Executor, class How, class... Rest>
requires skeleton_call<How, Rest...>
void for_each_tile(const Executor& exec, How&& how, Rest&&... rest) {
  detail::run_skeleton(
      exec, how, work_kind::sums,
      [&](auto& plan, auto&... arguments) { detail::visit_tiles_planned(exec, plan, arguments...); },
      rest...);
}

} // namespace evenly
