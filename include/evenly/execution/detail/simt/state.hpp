// SPDX-License-Identifier: Apache-2.0
// What a simulated launch consists of: threads, blocks, the job, and the queue of threads that can go on.
#pragma once

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/execution/detail/simt/block_order.hpp"
#include "evenly/execution/detail/simt/fibre.hpp"
#include "evenly/execution/detail/simt/memory_races.hpp"
#include "evenly/execution/detail/simt/place.hpp"
#include "evenly/execution/detail/simt/race_check.hpp"
#include "evenly/trace/detail/block_trace.hpp"

namespace evenly::detail {

/// What a simulated thread is doing, or at which call it waits.
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

class simt_engine;
struct simt_block_state;

/// One thread of a simulated block.
struct simt_thread {
  simt_block_state* block = nullptr;
  fibre* on = nullptr; ///< from its first step to its last
  int rank = 0;
  simt_step step = simt_step::fresh;
  int steps = 0;               ///< since its last backoff, or since it was last seen to make progress
  bool at_grid_sync = false;   ///< it waits for other blocks there
  source_place where;          ///< the call it waits at
  std::source_location caller; ///< of the outermost collective that it is in; line 0: of none

  // At a warp operation:
  lane_mask mask = 0;
  simt_thread* party = nullptr; ///< the first of the lanes of `mask` that came
  lane_mask joined = 0;         ///< there: the lanes that have come
  const void* value = nullptr;  ///< what it brings to a shuffle or a ballot (a bool)
  void* result = nullptr;       ///< where it wants the result: a value, a lane_mask
  int source = 0;
  std::size_t bytes = 0; ///< of a shuffle's value
};

/// A unit of storage, aligned for every slot.
struct alignas(64) storage_line {
  std::byte bytes[64];
};

/// A simulated block: its threads, its storage, and what is known of them.
struct simt_block_state {
  simt_engine* engine = nullptr;
  int index = 0;
  int live = 0;         ///< threads that have not finished
  int waiting = 0;      ///< threads at sync
  int epoch = 0;        ///< syncs completed
  source_place meeting; ///< of the first thread at sync
  bool apart = false;   ///< some thread is at another sync
  std::vector<simt_thread> threads;
  simt_thread& thread(int rank) { return threads[static_cast<std::size_t>(rank)]; }
  std::vector<lane_mask> waiting_lanes; ///< for each warp, the lanes at a warp operation
  std::vector<storage_line> storage;
  race_checker races;
  block_order order; ///< in use where races are checked
  block_trace trace; ///< in use where the job is traced
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

/// Pseudo-random numbers (splitmix64, Steele et al. 2014).
struct simt_random {
  std::uint64_t state = 0;
  std::uint64_t operator()() {
    std::uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>((*this)() % bound); }
};

/// The threads that can go on. Holds up to the number of elements given to clear().
class simt_queue {
 public:
  void clear(std::size_t capacity) {
    ring_.resize(std::bit_ceil(capacity));
    head_ = size_ = 0;
  }
  std::size_t size() const { return size_; }
  void push_front(simt_thread& t) { ring_[--head_ & (ring_.size() - 1)] = &t, ++size_; }
  void push_back(simt_thread& t) { ring_[(head_ + size_++) & (ring_.size() - 1)] = &t; }
  simt_thread& pop_front() { return --size_, *ring_[head_++ & (ring_.size() - 1)]; }
  /// Exchanges the first with the one `i` places behind it.
  void bring_forward(std::size_t i) {
    std::swap(ring_[head_ & (ring_.size() - 1)], ring_[(head_ + i) & (ring_.size() - 1)]);
  }

 private:
  std::vector<simt_thread*> ring_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

} // namespace evenly::detail
