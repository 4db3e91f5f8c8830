// SPDX-License-Identifier: Apache-2.0
// The actions of a schedule on a small tile set, step by step, recorded on the simulated GPU.
//
// A *step* is what the threads of a block do side by side: the same number of visits into the same part. The sharing
// (schedules/launches.hpp) determines the threads of a part. Parts separated by a barrier, or consecutive in their
// threads, are consecutive steps.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"

namespace evenly::draw {

/// An atom and its tile, as a thread received them; atom is -1 if the thread is idle.
struct recorded_visit {
  int tile = 0;
  int atom = -1;
};

/// Consecutive steps of a block with the same sharing.
struct recorded_phase {
  std::string sharing;                            ///< as text
  std::vector<std::vector<recorded_visit>> steps; ///< the visits of all threads in each step
};

struct recorded_block {
  int index = 0;
  std::vector<recorded_phase> phases; ///< empty if the block has no atoms
};

struct recorded_launch {
  int block_size = 0;
  std::vector<recorded_block> blocks;
};

struct recorded_run {
  std::vector<std::pair<std::string, std::string>> parameters; ///< of the schedule in this run
  std::vector<recorded_launch> launches;
};

/// Runs for_each_atom under a schedule in blocks of `block_size` threads and warps of `warp_size`, and records it.
/// Parameters tuned for a GPU (items per thread, thresholds of long tiles) are reduced to fit a picture; the result has
/// their values. `offsets`: tiles + 1.
recorded_run record_schedule(const any_schedule& chosen, std::span<const int> offsets, int block_size,
                             int warp_size);

} // namespace evenly::draw
