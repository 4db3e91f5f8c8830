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
// | sharing     | who calls                            | part                                                        |
// |-------------|--------------------------------------|-------------------------------------------------------------|
// | team<G>     | all threads of a team; of the block  | team_part: one tile for the team; has_tile is false for     |
// |             | if the team is wide                  | teams that came to the call only for its barriers           |
// | blocked_run | all threads of the block             | run_chunk: consecutive merge items (atoms and tile ends),   |
// |             |                                      | at most Items for each thread                               |
// | striped_run | all threads of the block             | consecutive atoms; each thread learns the tiles of at most  |
// |             |                                      | Items atoms, a block's size apart                           |
// | serial_run  | the only thread of a serial block    | run_chunk: what either run is on cpu                        |
// | empty_tile  | one thread                           | a tile without atoms that no other part ends                |
// team<1> is "whole": one thread has the whole tile. A block has at most one run in a launch. Between two parts that
// all threads of a block take, the mapping calls sync(): consumers may use the same storage for each.
#pragma once

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"

namespace evenly::sharing {

/// G threads (whole_block: all of the block) stride over a tile together.
template <int G> struct team {};
/// The block has up to size * Items consecutive merge items.
template <int Items> struct blocked_run {};
/// The block has up to size * Items consecutive atoms.
template <int Items> struct striped_run {};
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
