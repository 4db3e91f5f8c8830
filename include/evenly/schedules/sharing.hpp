// SPDX-License-Identifier: Apache-2.0
// How threads share a tile: the interface between schedules and skeletons.
//
// On the host a schedule prepares a launch: a launch_shape and a mapping, the trivially copyable view for the kernel.
// In the kernel the mapping distributes the work:
//
//   mapping.distribute(block, slots, consumer)      called by all threads of the block
//
// It calls  consumer(form, part)  for each part; the form says, at compile time, how threads share it. A skeleton is a
// consumer, and knows no schedule. Over all blocks every atom is in exactly one part. So is the end of every tile;
// empty tiles are passed only to consumers that want them.
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
// (algorithms/detail/lowering.hpp) makes the required forms:
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
// (algorithms/detail/open_tile.hpp). The parts of these forms in one block are therefore consecutive, and those of
// block b + 1 follow those of block b. (Pieces may begin another tile wherever one ends; tiles need not be in order.)
// The mapping calls sync() between two such parts, since consumers may use the same storage for each, unless the
// consumer declares runs_need_no_storage. A consumer has finished a team's part when it returns.
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
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/work/tile_set.hpp"

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

} // namespace evenly
