// SPDX-License-Identifier: Apache-2.0
// The data of a simulated launch that kernels see: a thread, its block, and the job.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/simulator/detail/place.hpp"

namespace evenly::detail {

class launch_trace;
class memory_races;
struct fibre;
struct simt_block_state;
struct simt_block_view;

/// What a simulated thread does, or the call at which it waits.
enum class simt_step {
  fresh,
  running,
  sync,
  warp_sync,
  warp_shuffle,
  warp_ballot,
  backoff,
  grid_sync,
  atomic,
  finished
};

/// One thread of a simulated block.
struct simt_thread {
  simt_block_state* block = nullptr;
  simt_block_view* seen = nullptr; ///< the part of the block that kernels see
  fibre* on = nullptr;             ///< its fibre, from its first step to its last
  int rank = 0;
  simt_step step = simt_step::fresh;
  int steps = 0;               ///< steps since its last backoff, or since its last recorded progress
  std::uint64_t polled_at = 0; ///< the engine's progress at its last backoff
  std::size_t polls = 0;       ///< its calls of backoff since then
  bool at_grid_sync = false;   ///< whether it waits for other blocks there
  source_place where;          ///< the call at which it waits
  std::source_location caller; ///< of the outermost enclosing collective; line 0: none

  // At a warp operation:
  lane_mask mask = 0;
  simt_thread* party = nullptr; ///< the first lane of `mask` that arrived
  lane_mask joined = 0;         ///< of `party`: the lanes that have arrived
  const void* value = nullptr;  ///< its input of a shuffle or a ballot (a bool)
  void* result = nullptr;       ///< where the result goes: a value, a lane_mask
  int source = 0;
  std::size_t bytes = 0; ///< of a shuffle's value
};

/// A unit of storage, aligned for every slot.
struct alignas(64) storage_line {
  std::byte bytes[64];
};

/// A launch without its types.
struct simt_job {
  int blocks = 0;
  block_shape shape;
  bool check_races = true;
  bool co_resident = false;
  bool switch_at_atomics = false;
  bool may_wait_outside = false; ///< other operating-system threads run blocks of this launch too
  std::chrono::duration<double> patience{};
  std::size_t storage_bytes = 0;
  std::uint64_t seed = 0;
  void (*call)(const void* kernel, simt_thread& thread) = nullptr;
  const void* kernel = nullptr;
  launch_trace* trace = nullptr;  ///< null: nothing is counted
  memory_races* memory = nullptr; ///< null: traced memory is not checked

  bool watches_atomics() const { return trace || memory || switch_at_atomics || co_resident; }
};

/// The part of a block that kernels see.
struct simt_block_view {
  int index = 0;
  const simt_job* job = nullptr;
  std::vector<storage_line> storage;
};

} // namespace evenly::detail
