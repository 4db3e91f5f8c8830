// SPDX-License-Identifier: Apache-2.0
// HOW a tile is shared: the meeting point of schedules and skeletons.
//
// A schedule prepares, on the host, one or more *launches*; each has a launch_shape and a *mapping*, the trivially
// copyable view that a kernel uses. Inside the kernel the mapping hands out its phases:
//
//   mapping.distribute(block, slots, consumer)      called by all threads of the block
//
// calls  consumer(sharing, part)  for each part, where the sharing says, at compile time, how tiles are shared between
// threads. A skeleton is a consumer: it handles each way once, and knows no schedule. Over all blocks every atom is in
// exactly one part, and every tile, the empty ones too, is ended by exactly one part.
//
// | sharing        | who calls                           | part                                                     |
// |----------------|-------------------------------------|----------------------------------------------------------|
// | team<G>        | all threads of a team; of the block | team_part: one tile for the team; has_tile is false for  |
// |                | if the team is wide                 | teams that came to the call only for its barriers        |
// | piece          | all threads of the block            | piece_part: consecutive atoms of one tile                |
// | blocked_run    | all threads of the block            | run_chunk: consecutive merge items (atoms and tile       |
// |                |                                     | ends), at most Items for each thread                     |
// | striped_run    | all threads of the block            | consecutive atoms; each thread learns the tiles of at    |
// |                |                                     | most Items atoms, a block's size apart                   |
// | sequential_run | all threads of the block            | consecutive atoms, and for each thread, in rank order,   |
// |                |                                     | a consecutive share of them                              |
// | batch_run<G>   | as team<G>                          | whole tiles for a team, an atom for each thread at a time|
// | serial_run     | the only thread of a serial block   | run_chunk: what any run is on cpu                        |
// | empty_tile     | one thread                          | a tile without atoms that no other part ends             |
// team<1> is "whole": one thread has the whole tile.
//
// Runs and pieces cut tiles: what a block has of a tile that other blocks share is carried to them in block order
// (algorithms/detail/carries.hpp, primitives/look_back.hpp). So the parts of these kinds that one block has in a launch follow
// each other without a gap, and those of block b + 1 follow those of block b. (Pieces may begin another tile wherever one
// ends; tiles need not be in order.) Between two of them the mapping calls sync(), since consumers may use the same storage
// for each, unless the consumer says that it does not (runs_need_no_storage). With a team's part a consumer has done when
// it returns.
//
// What a skeleton needs to know of the parts that are not plain structs:
//
//   striped_run     run.first_atom, run.last_atom, run.tiles(); run.for_each(visit) calls visit(k, t) for each of the
//                   thread's atoms: k counts the run's atoms from first_atom, t is the tile. All threads call it; it may
//                   synchronise the warp. A run may also have run.for_each_four(several, one): several(k, four_tiles)
//                   for four consecutive atoms at a time, one(k, t) for those left over
//   sequential_run  the same members, but run.for_each(visit) calls visit(t, a) for the thread's atoms in order, and
//                   does not synchronise
//   batch_run<G>    run.for_each(visit) calls visit(has, t, a, ends) by all threads of a team together, once for each
//                   batch; by all threads of the block if the team is wide. has: the thread has an atom, and so have
//                   all lower ranks; a: the atom; t: its tile; ends: the tile ends with it. Atoms come in the order of
//                   tiles, rank after rank, batch after batch; the tiles need not be neighbours. visit may synchronise
//                   the team; if the team is wide, the block
//
// A mapping of which only the first blocks have parts that cut tiles says so in
//   EVENLY_FN int cutting_blocks(int blocks) const      of `blocks` blocks in a launch
#pragma once

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"

namespace evenly::sharing {

/// G threads (whole_block: all of the block) stride over a tile together.
template <int G> struct team {};
/// The block strides over atoms of one tile.
struct piece {};
/// The block has up to size * Items consecutive merge items.
template <int Items> struct blocked_run {};
/// The block has up to size * Items consecutive atoms.
template <int Items> struct striped_run {};
/// Each thread has consecutive atoms. Cut: whether tiles may be shared with other blocks.
template <bool Cut> struct sequential_run {};
/// G threads (whole_block: all of the block) go through the atoms of whole tiles in batches.
template <int G> struct batch_run {};
/// The one thread of a block has the block's whole run.
struct serial_run {};
/// Nothing to share.
struct empty_tile {};

/// The ways of sharing that a mapping uses: what a skeleton prepares storage for.
template <class... Sharings> struct list {};

} // namespace evenly::sharing

namespace evenly {

/// One tile for a team: its atoms are [begin, end).
template <class Tile, class Atom> struct team_part {
  bool has_tile;
  Tile tile;
  Atom begin;
  Atom end;
};

/// The tiles of four consecutive atoms.
template <class Tile> struct alignas(sizeof(Tile) == 4 ? 16 : alignof(Tile)) four_tiles {
  Tile of[4];
};

/// Atoms [begin, end) of one tile. `first`, `last`: whether they begin and end it.
template <class Tile, class Atom> struct piece_part {
  Tile tile;
  Atom begin;
  Atom end;
  bool first;
  bool last;
};

/// A run that starts and stops anywhere: atoms [first_atom, last_atom), and the ends of tiles [first_tile, last_tile).
/// `head_open`: atoms of first_tile came before this chunk.
template <class Tile, class Atom> struct run_chunk {
  Tile first_tile;
  Tile last_tile;
  Atom first_atom;
  Atom last_atom;
  bool head_open;
};

} // namespace evenly
