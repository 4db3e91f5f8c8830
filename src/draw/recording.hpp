// SPDX-License-Identifier: Apache-2.0
// What a schedule does with a small tile set, step by step, as the simulated GPU has seen it.
//
// A *step* is what the threads of a block do side by side: the same number of visits into the same part. The sharing
// (schedules/sharing.hpp) says who takes a part together; parts that a barrier separates, or that follow each other
// in their threads, are steps that follow each other.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"

namespace evenly::draw {

/// An atom and its tile, as the schedule gave them to a thread; atom is -1 where the thread idles.
struct recorded_visit {
  int tile = 0;
  int atom = -1;
};

/// Consecutive steps of a block with one way of sharing.
struct recorded_phase {
  std::string sharing;                            ///< in words
  std::vector<std::vector<recorded_visit>> steps; ///< for each step, what each thread takes
};

struct recorded_block {
  int index = 0;
  std::vector<recorded_phase> phases; ///< none where the block has no atoms
};

struct recorded_launch {
  int block_size = 0;
  std::vector<recorded_block> blocks;
};

struct recorded_run {
  std::vector<std::pair<std::string, std::string>> parameters; ///< of the schedule, as it ran
  std::vector<recorded_launch> launches;
};

/// Runs for_each_atom under a schedule in blocks of `block_size` threads and warps of `warp_size`, and
/// records it. Lengths for which a schedule waits on a GPU (items of a thread, sizes from which a tile counts as long)
/// are brought down to what a picture can hold; the parameters say to what. `offsets`: tiles + 1.
recorded_run record_schedule(const any_schedule& chosen, std::span<const int> offsets, int block_size,
                             int warp_size);

} // namespace evenly::draw
