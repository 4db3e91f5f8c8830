// SPDX-License-Identifier: Apache-2.0
// HOW a tile is shared: the meeting point of schedules and skeletons.
//
// A schedule prepares, on the host, one or more *launches*; each has a launch_shape and a *mapping*, the
// trivially copyable view that a kernel uses. Inside the kernel the mapping hands out its phases:
//
//   mapping.distribute(block, slots, consumer)      called by all threads of the block
//
// calls  consumer(sharing, part)  once for each part, where the sharing says, at compile time, how the part's
// tiles are shared between threads. A skeleton is a consumer: it handles each way once, and knows no
// schedule. Over all blocks every atom is in exactly one part, and every tile, the empty ones too, is ended
// by exactly one part.
//
// | sharing        | who calls                              | part |
// |----------------|----------------------------------------|-------------------------------------------------------|
// | team<G>        | all threads of a team; of the block    | one tile for the team; has_tile is false for
// teams     | |                | if the team is wide or serial          | that came to the call only for its
// barriers            | | blocked_run    | all threads of the block               | consecutive merge items
// (atoms and tile ends), a run   | |                |                                        | of them for
// each thread                                | | striped_run    | all threads of the block               |
// consecutive atoms, dealt to the threads in turn        | | serial_run     | the only thread of a serial
// block      | either of the two above: a run_chunk                   | | empty_tile     | one thread | a
// tile without atoms that no other part ends           | team<1> is "whole": one thread has the whole tile. A
// block has at most one run in a launch. Between two parts that all threads of the block take, the mapping
// calls sync(): consumers may use the same storage for each.
#pragma once

#include <type_traits>

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"

namespace evenly::sharing {

/// G threads (whole_block: all of the block) stride over a tile together.
template <int G> struct team {};

/// Each thread has up to Items consecutive merge items.
template <int Items> struct blocked_run {};

/// Each thread has up to Items atoms, a block's size apart.
template <int Items> struct striped_run {};

/// One thread has a block's whole chunk.
struct serial_run {};

struct empty_tile {};

/// The ways of sharing that a mapping uses: what a skeleton prepares storage for.
template <class... Sharings> struct list {};

} // namespace evenly::sharing

namespace evenly {

/// A part for a team: tile and its atoms [begin, end).
template <class Tile, class Atom> struct team_part {
  bool has_tile;
  Tile tile;
  Atom begin;
  Atom end;
};

/// A run of merge items that starts and ends anywhere: atoms [first_atom, last_atom), and the ends of tiles
/// [first_tile, last_tile). `head_open`: atoms of first_tile came before this chunk.
template <class Tile, class Atom> struct run_chunk {
  Tile first_tile;
  Tile last_tile;
  Atom first_atom;
  Atom last_atom;
  bool head_open;
};

} // namespace evenly
