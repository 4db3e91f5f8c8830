// SPDX-License-Identifier: Apache-2.0
// The profile of a launch: its memory requests by place in the source, by warp, by block, and by slot of a
// multiprocessor.
//
// The measure of work is the turn (trace_counts::turns): a request of eight lines takes eight turns, one of one line
// takes one. Warps of a block wait for each other at barriers, so between two barriers a block takes the turns of its
// busiest warp. A slot is the room for one block on a multiprocessor. When a block ends, the next one gets its slot.
// Lanes, warps and slots are idle where they have no turns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "evenly/trace/counts.hpp"

namespace evenly {

/// The kinds of access in a profile.
enum class access_kind_of_site { load, store, storage_load, storage_store, atomic };

/// The requests of one kind at one place in the source.
struct site_profile {
  std::string file; ///< as given to the compiler
  std::string function;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t bytes = 0; ///< of a piece (trace/detail/block_trace.hpp)
  access_kind_of_site kind = access_kind_of_site::load;
  trace_counts counts; ///< only those of requests
  /// The most frequent distance in bytes from the address of a lane to that of the next lane, of requests with equal
  /// distances between all lanes. The smaller distance if two are equally frequent.
  std::int64_t lane_stride = 0;
  std::int64_t strided_requests = 0; ///< requests of at least 4 lanes at this distance
};

/// The work of one warp of a block.
struct warp_profile {
  std::int64_t turns = 0;
  std::int64_t requests = 0;
  std::int64_t lanes = 0;   ///< lanes that took part in its requests
  std::int64_t sectors = 0; ///< of loads and stores
};

/// The work of a slot of a multiprocessor.
struct slot_profile {
  std::int64_t blocks = 0;
  std::int64_t turns = 0; ///< until the end of its last block
};

/// The profile of one launch.
struct launch_profile {
  int blocks = 0;
  int block_size = 0;
  int warp_size = 32;
  int slots = 1; ///< blocks for which a multiprocessor has room
  trace_counts totals;
  std::vector<site_profile> sites;       ///< sorted by descending turns
  std::vector<warp_profile> warps;       ///< of block 0, then of block 1 ...
  std::vector<std::int64_t> block_turns; ///< from a block's start to its end

  int warps_of_block() const { return (block_size + warp_size - 1) / warp_size; }

  [[deprecated("use distribute_to_slots()")]] std::vector<slot_profile> deal_to_slots() const {
    return distribute_to_slots();
  }
  /// Returns the slots of one multiprocessor that runs all blocks in order, each in the first free slot.
  std::vector<slot_profile> distribute_to_slots() const {
    std::vector<slot_profile> all(static_cast<std::size_t>(std::max(1, std::min(slots, blocks))));
    const auto later = [&](std::size_t a, std::size_t b) {
      return all[a].turns != all[b].turns ? all[a].turns > all[b].turns : a > b;
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> free(later);
    for (std::size_t slot = 0; slot < all.size(); ++slot) free.push(slot);
    for (const std::int64_t turns : block_turns) {
      const std::size_t slot = free.top();
      free.pop();
      ++all[slot].blocks;
      all[slot].turns += turns;
      free.push(slot);
    }
    return all;
  }
};

/// The idle fractions of the lanes, warps and slots of a launch, in [0, 1].
struct idle_parts {
  double lanes = 0; ///< of the warps' lanes, in their requests
  double warps = 0; ///< of the blocks' turns, without a turn of the warp
  double slots = 0; ///< of the slots' turns until the end of the last one
};

/// Returns the idle fractions of a launch.
inline idle_parts idle_of(const launch_profile& launch) {
  const auto part = [](double used, double all) { return all > 0 ? 1 - used / all : 0.; };
  double turns = 0, lanes = 0, requests = 0, of_blocks = 0;
  for (const warp_profile& warp : launch.warps) {
    turns += static_cast<double>(warp.turns);
    lanes += static_cast<double>(warp.lanes);
    requests += static_cast<double>(warp.requests);
  }
  for (const std::int64_t each : launch.block_turns) of_blocks += static_cast<double>(each);
  std::int64_t last = 0;
  const auto slots = launch.distribute_to_slots();
  for (const slot_profile& slot : slots) last = std::max(last, slot.turns);
  return {part(lanes, requests * launch.warp_size), part(turns, of_blocks * launch.warps_of_block()),
          part(of_blocks, static_cast<double>(last) * static_cast<double>(slots.size()))};
}

} // namespace evenly
