// SPDX-License-Identifier: Apache-2.0
// The interface of schedules: how threads share tiles in a kernel, and the launches that schedules prepare on the host.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/work/tile_set.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// How threads share a tile: the interface between schedules and skeletons.
//
// On the host a schedule prepares a launch: a launch_shape and a mapping, the trivially copyable view for the kernel.
// In the kernel the mapping distributes the work:
//
//   mapping.distribute(block, slots, consumer)      called by all threads of the block
//
// It calls  consumer(form, part)  for each part; the form says, at compile time, how threads share it. A skeleton is a
// consumer, and knows no schedule. Over all blocks every atom is in exactly one part. So is the end of every tile;
// empty tiles are passed only to consumers that request them.
//
// Three forms are required of a skeleton. With handlers for these it runs under every schedule:
//
//   form       called by                             part
//   team<G>    all threads of a team; of the block,  team_part: one whole tile. An empty one has begin == end.
//              if the team is wide                   has_tile is false for teams that only join the barriers
//   run<Cut>   all threads of the block              consecutive atoms: each thread has a consecutive part, in rank
//                                                    order. Cut: other blocks may have atoms of its first and last tile
//   batch<G>   as team<G>                            whole tiles, one atom per thread at a time
//
// team<1> means that one thread has the whole tile. A handler calls team_of(block, form) for the caller's team.
//
// The other forms are refinements. A skeleton takes those that make it faster; for the rest an adapter
// (algorithms/skeleton.hpp) makes the required forms:
//
//   form                 part                                                      becomes
//   piece                piece_part: consecutive atoms of one tile, for the whole  run<true>
//                        block
//   striped_run<Items>   consecutive atoms; a thread learns the tiles of at most   run<true>
//                        Items atoms, a block's size apart
//   blocked_run<Items>   run_chunk: consecutive merge items (atoms and tile ends), striped_run<Items>, and team<1>
//                        at most Items per thread; any number on a serial block    for its empty tiles
//
// A serial block has one thread: it gets every run as a blocked_run, and every whole tile as team<1>.
//
// Runs and pieces cut tiles: partial sums of shared tiles pass from block to block in block order
// (algorithms/detail/atom_values.hpp). The parts of these forms in one block are therefore consecutive, and those of
// block b + 1 follow those of block b. (After the end of a tile, a piece may begin any other tile; tiles need not be in
// order.) The mapping calls sync() between two such parts, since consumers may use the same storage for each, unless
// the consumer declares runs_need_no_storage. A consumer has finished a team's part when it returns.
//
// Members of parts that are not plain structs:
//
//   run<Cut>      first_atom, last_atom, tiles(): the tile set. for_each(visit) calls visit(t, a) for the thread's
//                 atoms in order. It does not synchronise, and can be called again. A tile t ends with atom a if a + 1
//                 is tiles().end(t)
//   batch<G>      for_each(visit) calls visit(has, t, a, ends) once per batch, by all threads of a team together; by
//                 all threads of the block if the team is wide. has: the thread has an atom, and so have all lower
//                 ranks; a: the atom; t: its tile; ends: the tile ends with it. Atoms come in the order of tiles, rank
//                 after rank, batch after batch; the tiles need not be consecutive. visit may synchronise the team, or
//                 the block if the team is wide. for_each can be called again after the same synchronisation. A mapping
//                 with batches gives a thread at most one empty tile
//   striped_run   first_atom, last_atom, tiles(). for_each(visit) calls visit(k, t) for each of the thread's atoms: k
//                 counts the run's atoms from first_atom, t is the tile. All threads call it; it may synchronise the
//                 warp. A run may also have for_each_four(several, one): several(k, four_tiles) for four consecutive
//                 atoms at a time, one(k, t) for the rest
//
// A mapping of which only the first blocks have parts that cut tiles declares
//   EVENLY_FN int cutting_blocks(int blocks) const      of `blocks` blocks in a launch

namespace evenly::sharing {

/// G threads have a tile together. whole_block: all of the block; any_size: a number given at run time.
template <int G> struct team {};
template <> struct team<any_size> {
  group_size size;
};
/// Each thread has consecutive atoms. `Cut`: whether other blocks may share tiles.
template <bool Cut> struct run {};
/// G threads, as of a team, process the atoms of whole tiles in batches.
template <int G> struct batch {};
template <> struct batch<any_size> {
  group_size size;
};

/// A refinement: the block has atoms of one tile.
struct piece {};
/// A refinement: the block has at most size * Items consecutive atoms.
template <int Items> struct striped_run {};
/// A refinement: the block has at most size * Items consecutive merge items; a serial block any number.
template <int Items> struct blocked_run {};

/// The forms that a mapping uses on parallel blocks. A skeleton prepares storage for them.
template <class... Forms> struct list {};

/// Items of a blocked_run or of a striped_run; 0 for every other form.
template <class Form> inline constexpr int blocked_items = 0;
template <int Items> inline constexpr int blocked_items<blocked_run<Items>> = Items;
template <class Form> inline constexpr int striped_items = 0;
template <int Items> inline constexpr int striped_items<striped_run<Items>> = Items;

/// Whether a form is a refinement.
template <class Form>
inline constexpr bool is_refinement = blocked_items<Form> > 0 || striped_items<Form> > 0;
template <> inline constexpr bool is_refinement<piece> = true;

/// Whether a form cuts tiles, so that other blocks may have parts of them.
template <class Form> inline constexpr bool cuts = is_refinement<Form>;
template <> inline constexpr bool cuts<run<true>> = true;
template <class Forms> inline constexpr bool any_cuts = false;
template <class... Forms> inline constexpr bool any_cuts<list<Forms...>> = (cuts<Forms> || ...);

/// Whether a form gives each tile whole to a team; for a piece, whether no team has its tile.
template <class Form> inline constexpr bool keeps_whole = false;
template <int G> inline constexpr bool keeps_whole<team<G>> = true;
template <int G> inline constexpr bool keeps_whole<batch<G>> = true;
template <> inline constexpr bool keeps_whole<piece> = true;
template <class Forms> inline constexpr bool all_keep_whole = false;
template <class... Forms> inline constexpr bool all_keep_whole<list<Forms...>> = (keeps_whole<Forms> && ...);

} // namespace evenly::sharing

namespace evenly {

/// Returns the caller's team for a part that it gets as `form`.
template <template <int> class Form, int G, class Block>
EVENLY_FN evenly::team<G, Block> team_of(Block& block, [[maybe_unused]] const Form<G>& form) {
  if constexpr (G == any_size)
    return evenly::team<G, Block>(block, form.size);
  else
    return evenly::team<G, Block>(block);
}

/// One tile for a team: its atoms are [begin, end).
template <class Tile, class Atom> struct team_part {
  bool has_tile;
  Tile tile;
  Atom begin;
  Atom end;
};

/// Returns an empty tile for one thread. `at`: its begin and end.
template <class Tile, class Atom> EVENLY_FN team_part<Tile, Atom> empty_tile(Tile tile, Atom at) {
  return {true, tile, at, at};
}

/// The tiles of four consecutive atoms.
template <class Tile> struct alignas(sizeof(Tile) == 4 ? 16 : alignof(Tile)) four_tiles {
  Tile of[4];
};

/// Atoms [begin, end) of one tile. `first`, `last`: whether they begin and end it.
template <tile_set Tiles> struct piece_part {
  Tiles tiles;
  tile_type<Tiles> tile;
  atom_type<Tiles> begin;
  atom_type<Tiles> end;
  bool first;
  bool last;
};

/// A run that starts and stops anywhere: atoms [first_atom, last_atom), and the ends of tiles [first_tile, last_tile).
template <tile_set Tiles> struct run_chunk {
  Tiles tiles;
  tile_type<Tiles> first_tile;
  tile_type<Tiles> last_tile;
  atom_type<Tiles> first_atom;
  atom_type<Tiles> last_atom;

  /// Whether first_tile has atoms before this chunk.
  EVENLY_FN bool head_open() const {
    return first_tile < tiles.tiles() && first_atom > tiles.begin(first_tile);
  }
};

namespace detail {

template <class T>
concept tile_set_like = tile_set<std::remove_cvref_t<T>>;

struct visits_atoms {
  template <class Tile, class Atom> EVENLY_FN void operator()(Tile, Atom) const {}
};
struct visits_batches {
  template <class Tile, class Atom> EVENLY_FN void operator()(bool, Tile, Atom, bool) const {}
};

} // namespace detail

/// The part of a run<Cut>.
template <class R>
concept atom_run = requires(const R& run, detail::visits_atoms visit) {
  { run.first_atom } -> std::convertible_to<std::int64_t>;
  { run.last_atom } -> std::convertible_to<std::int64_t>;
  { run.tiles() } -> detail::tile_set_like;
  run.for_each(visit);
};
/// The part of a batch<G>.
template <class R>
concept tile_batch = requires(const R& run, detail::visits_batches visit) { run.for_each(visit); };
/// The part of a striped_run<Items>.
template <class R>
concept striped_atoms = requires(const R& run, detail::visits_atoms visit) {
  { run.first_atom } -> std::convertible_to<std::int64_t>;
  { run.last_atom } -> std::convertible_to<std::int64_t>;
  { run.tiles() } -> detail::tile_set_like;
  run.for_each(visit);
};

// ---------------------------------------------------------------------------------------------------------------------
// The result of a schedule's prepare(): its launch, and the memory that the mapping points into.
//
// A schedule is a plain struct of parameters with these members:
//   int block_size                                                          threads per block, 1 to 1024
//   template <class Executor, tile_set Tiles>
//   auto prepare(const Executor&, const Tiles&, const extent<Tiles>&) const -> prepared_launch<...>
//                           may allocate, and run kernels on the executor
//   template <class Visit> void parameters(Visit visit) const
//                           calls visit(name, value) for each of its parameters
//
// Its plans can be bound to other tiles if prepare() has this form instead:
//   auto prepare(const Executor&, const Tiles&, const extent<Tiles>&, const planning&, buffer<...>... kept = {}) const
//                           allocates room for the tiles and atoms of `planning`; reuses the memory in `kept` (what the
//                           plan owns, in order) without waiting for the executor
//
// Optional, if a block can compute the entries of prepare()'s table (schedules/chunks.hpp):
//   auto prepare_nothing(const Executor&, const Tiles&, const extent<Tiles>&, const planning&) const
//                           returns a launch that owns nothing
//
// Optional, if prepare() uses planning::squares: bool wants_squares() const
//
// A mapping, the view that a kernel uses, is trivially copyable and has these members:
//   tiles_type                              the tile set
//   sharings                                a sharing::list of the forms in which it distributes work
//   slots, and static slots lay_out(storage_layout&, block_shape)           its storage
//   static constexpr int tuned_block_size   threads per block; kernels are compiled separately for this number
//   template <class Block, class Consumer> void distribute(Block&, const slots&, Consumer&) const
//
// Optional members of a mapping:
//   int cutting_blocks(int blocks) const    how many of the blocks, the first ones, have parts that cut tiles
//   sized_mapping<M> sized(const capacity&, block_shape) const
//                                           EVENLY_FN, for tile sets sized on the device: the mapping for their actual
//                                           sizes (sizes_within), and the number of blocks that these need. Blocks of a
//                                           resident launch process one of these blocks after another
//                                           (docs/decisions/0013)
//   static constexpr int min_blocks         how many blocks of tuned_block_size should fit on a multiprocessor
//   chunks()                                the chunks that persistent blocks may draw (chunks.hpp)

/// The default number of threads per block. It takes 0 to 21% less time than 256 (merge_path, float SpMV on the ten
/// workloads of docs/performance.md, on an H200, 2026-11-20).
inline constexpr int default_block_size = 128;

/// The extent that make_plan found for a tile set: its atoms are [first_atom, first_atom + atoms).
template <tile_set Tiles> struct extent {
  atom_type<Tiles> first_atom = 0;
  std::int64_t atoms = 0;
};

/// The conditions of a plan, in addition to the tiles: prepare() allocates memory for every tile set within `max_size`.
struct planning {
  capacity max_size;
  double squares =
      -1; ///< sum of the squared sizes of all tiles, if their check has found it; below 0: unknown
};

/// The sizes of a tile set, as a kernel reads them.
template <tile_set Tiles> struct sizes {
  std::int64_t tiles = 0;
  extent<Tiles> all;
};

/// Reads the sizes on the executor. A tile set that exceeds its capacity counts as empty.
template <tile_set Tiles> EVENLY_FN sizes<Tiles> sizes_within(const Tiles& tiles, const capacity& max_size) {
  using tile = tile_type<Tiles>;
  const std::int64_t count = tiles.tiles();
  if (count <= 0 || count > max_size.tiles) return {};
  const std::int64_t first = tiles.begin(0), last = tiles.end(static_cast<tile>(count - 1));
  if (first < 0 || last < first || last - first > max_size.atoms) return {};
  return {count, {static_cast<atom_type<Tiles>>(first), last - first}};
}

/// A mapping for some sizes, and the number of blocks that they need.
template <class Mapping> struct sized_mapping {
  Mapping mapping;
  int blocks;
};

namespace detail {

/// A placeholder block, consumer and parameter visitor for testing mappings.
struct any_block {};
struct any_consumer {
  template <class Form, class Part> EVENLY_FN void operator()(Form, const Part&);
};
struct any_parameter {
  template <class Value> void operator()(const char*, const Value&) const {}
};

template <class M>
concept names_slots = requires(storage_layout& layout, block_shape shape) {
  { M::lay_out(layout, shape) } -> std::same_as<typename M::slots>;
};
template <class M>
concept names_block_size = requires {
  { M::tuned_block_size } -> std::convertible_to<int>;
};
template <class M>
concept distributes = requires(const M& of, any_block& block, const typename M::slots& slots,
                               any_consumer& consumer) { of.distribute(block, slots, consumer); };

/// Each rule has its own assertion, so that an error names the broken rule.
template <class M> struct is_a_mapping {
  static_assert(std::is_trivially_copyable_v<M>,
                "a mapping must be trivially copyable, because it is copied to the device");
  static_assert(
      requires { requires tile_set<typename M::tiles_type>; },
      "a mapping needs a member type tiles_type, its tile set");
  static_assert(
      requires { typename M::sharings; },
      "a mapping needs a member type sharings, a sharing::list of the forms in which it distributes work");
  static_assert(names_slots<M>, "a mapping needs a member type slots and a static lay_out(storage_layout&, "
                                "block_shape) that returns it");
  static_assert(names_block_size<M>,
                "a mapping needs a constant tuned_block_size, the block size with specialized kernels");
  static_assert(distributes<M>, "a mapping needs a member template distribute(block, slots, consumer) const");
  static constexpr bool holds = true;
};

template <class Prepared>
concept has_launch =
    requires { typename std::remove_cvref_t<decltype(std::declval<Prepared>().launch)>::mapping_type; };
template <class S>
concept names_block_size_of_launch = requires(const S& of) {
  { of.block_size } -> std::convertible_to<int>;
};
template <class S>
concept names_parameters = requires(const S& of) { of.parameters(any_parameter{}); };
template <class S, class Executor, class Tiles, class... Kept>
concept plans_room = requires(const S& of, const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
                              const planning& how, Kept... kept) {
  { of.prepare(exec, tiles, all, how, std::move(kept)...) } -> has_launch;
};
template <class S, class Executor, class Tiles>
concept prepares = plans_room<S, Executor, Tiles> ||
                   requires(const S& of, const Executor& exec, const Tiles& tiles, const extent<Tiles>& all) {
                     { of.prepare(exec, tiles, all) } -> has_launch;
                   };

template <class S, class Executor, tile_set Tiles> struct is_a_schedule {
  static_assert(names_block_size_of_launch<S>, "a schedule needs a member int block_size");
  static_assert(
      names_parameters<S>,
      "a schedule needs a member parameters(visit) const, which calls visit(name, value) for each parameter");
  static_assert(prepares<S, Executor, Tiles>,
                "a schedule needs a member template prepare(exec, tiles, extent) const, which returns "
                "prepared(launch_of<mapping>{...}, ...)");
  static constexpr bool holds = true;
};

} // namespace detail

/// The part of a schedule that a kernel uses.
template <class M>
concept mapping = std::is_trivially_copyable_v<M> && tile_set<typename M::tiles_type> && requires {
  typename M::sharings;
} && detail::names_slots<M> && detail::names_block_size<M> && detail::distributes<M>;

/// A schedule that make_plan prepares for tiles on an executor.
template <class S, class Executor, class Tiles>
concept schedule = tile_set<Tiles> && detail::names_block_size_of_launch<S> && detail::names_parameters<S> &&
                   detail::prepares<S, Executor, Tiles>;

/// A mapping that a kernel can make for sizes that only the device knows.
template <class M>
concept sized_on_device_mapping =
    mapping<M> && requires(const M& of, const capacity& max_size, block_shape shape) {
      { of.sized(max_size, shape) } -> std::same_as<sized_mapping<M>>;
    };

namespace detail {

struct nothing {};
template <class Mapping> struct host_part {
  using type = nothing;
};
template <class Mapping>
requires requires { typename Mapping::known_to_host; }
struct host_part<Mapping> {
  using type = typename Mapping::known_to_host;
};

} // namespace detail

/// One kernel launch of a schedule.
template <class Mapping> struct launch_of {
  static_assert(detail::is_a_mapping<Mapping>::holds);
  using mapping_type = Mapping;
  Mapping mapping;
  launch_shape shape;     ///< for tile sets sized on the device: for the maximum size
  int max_blocks = 0;     ///< for any tile set that the plan has room for; 0: as many as shape has
  capacity max_size = {}; ///< for tile sets sized on the device
  /// Data for the host only: the mapping's known_to_host, if it has one.
  typename detail::host_part<Mapping>::type host = {};
};

/// A launch, and the memory that must live as long.
template <class Mapping, class... Owned> struct prepared_launch {
  launch_of<Mapping> launch;
  std::tuple<Owned...> owned;
};

/// Returns a launch together with the memory that it owns.
template <class Mapping, class... Owned>
prepared_launch<Mapping, Owned...> prepared(launch_of<Mapping> launch, Owned... owned) {
  return {launch, std::tuple<Owned...>(std::move(owned)...)};
}

// ---------------------------------------------------------------------------------------------------------------------
// assume_valid: skips the checks of make_plan for tiles, or for a source of tiles. It also states their number of
// atoms, if the host can know it. docs/plans.md has the cost of such a plan.

/// The result of assume_valid(): tiles assumed to keep the laws, and the range of their atoms if the host knows it.
template <tile_set Tiles> struct assumed_valid_tiles {
  using tile_type = typename Tiles::tile_type;

  Tiles tiles;
  std::optional<extent<Tiles>> all;
};

/// Returns tiles whose laws make_plan and rebind do not check. If the tile set knows its atoms on the host
/// (counted_on_host, as uniform_tiles does), nothing is read back. Otherwise make_plan and rebind read the first and
/// last offset back, which waits on cuda.
template <tile_set Tiles>
requires(!sized_on_device<Tiles>)
assumed_valid_tiles<Tiles> assume_valid(const Tiles& tiles) {
  if constexpr (counted_on_host<Tiles>)
    return {tiles, extent<Tiles>{tiles.first_atom(), tiles.atoms()}};
  else
    return {tiles, std::nullopt};
}
/// The same for tiles with the atoms [first_atom, first_atom + atoms). Nothing is read back. Throws invalid_argument if
/// a number is negative, or the atoms are more than the tile set's atom_type can count.
template <tile_set Tiles>
requires(!sized_on_device<Tiles>)
assumed_valid_tiles<Tiles> assume_valid(const Tiles& tiles, std::int64_t atoms,
                                        atom_type<Tiles> first_atom = 0) {
  constexpr std::int64_t max = std::numeric_limits<atom_type<Tiles>>::max();
  require(first_atom >= 0 && atoms >= 0 && atoms <= max - first_atom, [&] {
    return detail::concat("atoms = ", atoms, " from ", first_atom, " on: must not be negative or end above ",
                          max);
  });
  return {tiles, extent<Tiles>{first_atom, atoms}};
}

/// The same for a source of tiles (work/tile_set.hpp).
template <tile_source Source> struct assumed_valid_source {
  using tile_type = typename Source::tile_type;

  Source source;
  std::optional<std::int64_t> atoms;
};

/// Returns a source that make_plan and rebind do not check.
template <tile_source Source> assumed_valid_source<Source> assume_valid(const Source& source) {
  return {source, {}};
}
/// `atoms`: the number of atoms of all tiles together. Throws invalid_argument if it is negative.
template <tile_source Source>
assumed_valid_source<Source> assume_valid(const Source& source, std::int64_t atoms) {
  require(atoms >= 0, [&] { return detail::concat("atoms = ", atoms, ": must not be negative"); });
  return {source, atoms};
}

template <class Tiles, class... Atoms>
[[deprecated("use assume_valid")]] auto trusted(const Tiles& tiles, const Atoms&... atoms) {
  return assume_valid(tiles, atoms...);
}

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------
// How a plan uses schedules and tile sets: it prepares schedules, also in existing memory, and finds the sizes of tile
// sets without checking them.

namespace evenly::detail {

/// Prepares a schedule with room for more; without, if the schedule owns no memory.
template <class S, class Executor, class Tiles>
auto prepare(const S& schedule, const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
             const planning& how) {
  if constexpr (plans_room<S, Executor, Tiles>)
    return schedule.prepare(exec, tiles, all, how);
  else
    return schedule.prepare(exec, tiles, all);
}

template <class S, class Executor, class Tiles, class Owned> inline constexpr bool renews = false;
template <class S, class Executor, class Tiles, class... Owned>
inline constexpr bool renews<S, Executor, Tiles, std::tuple<Owned...>> =
    sizeof...(Owned) == 0 || plans_room<S, Executor, Tiles, Owned...>;

/// The same in memory that the plan already owns.
template <class S, class Executor, class Tiles, class... Owned>
auto renew(const S& schedule, const Executor& exec, const Tiles& tiles, const extent<Tiles>& all,
           const planning& how, std::tuple<Owned...> owned) {
  if constexpr (plans_room<S, Executor, Tiles>)
    return std::apply(
        [&](Owned&... kept) { return schedule.prepare(exec, tiles, all, how, std::move(kept)...); }, owned);
  else
    return schedule.prepare(exec, tiles, all);
}

template <class S, class Executor, class Tiles>
using mapping_of =
    typename decltype(detail::prepare(std::declval<const S&>(), std::declval<const Executor&>(),
                                      std::declval<const Tiles&>(), extent<Tiles>{}, planning{})
                          .launch)::mapping_type;

/// Whether the sizes are known where they are needed: on the host, or in the kernel that uses the mapping.
template <class S, class Executor, class Tiles>
inline constexpr bool sizes_are_known =
    !sized_on_device<Tiles> || sized_on_device_mapping<mapping_of<S, Executor, Tiles>>;

/// Copies the sizes of a tile set as they are, by one thread; the atoms only if the number of tiles is within
/// `max_size`.
template <tile_set Tiles> struct copy_sizes {
  Tiles tiles;
  capacity max_size;
  sizes<Tiles>* result;

  EVENLY_FN sizes<Tiles> found() const {
    std::int64_t count = tiles.tiles();
    if constexpr (requires { tiles.source().stated_tiles(); }) count = tiles.source().stated_tiles();
    if (count <= 0 || count > max_size.tiles) return {count, {}};
    const std::int64_t first = tiles.begin(0), last = tiles.end(static_cast<tile_type<Tiles>>(count - 1));
    return {count, {static_cast<atom_type<Tiles>>(first), last - first}};
  }
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    if (block.rank() == 0) *result = found();
  }
};

/// Waits, unless the host can read the memory of the tiles.
template <class Executor, tile_set Tiles>
sizes<Tiles> read_sizes(const Executor& exec, const Tiles& tiles, const capacity& max_size) {
  if constexpr (Executor::on_host) {
    return copy_sizes<Tiles>{tiles, max_size, nullptr}.found();
  } else {
    const auto result = make_buffer<sizes<Tiles>>(exec, 1);
    launch(exec, {1, 1}, copy_sizes<Tiles>{tiles, max_size, result.data()});
    sizes<Tiles> found;
    exec.copy_to_host(&found, result.data(), sizeof(found));
    return found;
  }
}

/// Returns the atoms of tiles assumed valid. Waits, unless they are known or the host can read the memory of the tiles.
template <class Executor, tile_set Tiles>
extent<Tiles> extent_of(const Executor& exec, const assumed_valid_tiles<Tiles>& given) {
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  return given.all ? *given.all : read_sizes(exec, given.tiles, {any, any}).all;
}

/// Returns the host's bound for a tile set sized on the device: the maximum number of atoms.
template <sized_on_device Tiles> extent<Tiles> max_extent(const Tiles& tiles) {
  return {0, tiles.max_atoms()};
}

} // namespace evenly::detail

// --- details ---------------------------------------------------------------------------------------------------------
// Helpers for schedules with groups of a size given at run time.

namespace evenly {

/// Throws invalid_argument if groups cannot have that many threads.
inline void require_group(int group) {
  require(group >= 1 && group <= max_block_size, [&] {
    return detail::concat("group = ", group, ": a group has 1 to ", max_block_size, " threads");
  });
}

/// Returns the shape of a block of `block_size` threads on `exec`.
template <class Executor> block_shape shape_of_block(const Executor& exec, int block_size) {
  if constexpr (Executor::serial_blocks)
    return {1, 1};
  else
    return exec.shape_of(block_size);
}

} // namespace evenly
