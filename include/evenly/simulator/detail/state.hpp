// SPDX-License-Identifier: Apache-2.0
// The state of a simulated block, and the queue of ready threads.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/simulator/detail/block_order.hpp"
#include "evenly/simulator/detail/fibre.hpp"
#include "evenly/simulator/detail/memory_races.hpp"
#include "evenly/simulator/detail/place.hpp"
#include "evenly/simulator/detail/race_check.hpp"
#include "evenly/simulator/detail/thread.hpp"
#include "evenly/trace/detail/block_trace.hpp"

namespace evenly::detail {

class simt_engine;

/// A simulated block: its threads and their state.
struct simt_block_state : simt_block_view {
  simt_engine* engine = nullptr;
  int live = 0;            ///< threads that have not finished
  int waiting = 0;         ///< threads at sync
  int epoch = 0;           ///< syncs completed
  source_place sync_place; ///< the call of the first thread at sync
  bool apart = false;      ///< threads wait at different syncs
  std::vector<simt_thread> threads;
  simt_thread& thread(int rank) { return threads[static_cast<std::size_t>(rank)]; }
  std::vector<lane_mask> waiting_lanes; ///< for each warp, the lanes at a warp operation
  race_checker races;
  block_order order; ///< used if races are checked
  block_trace trace; ///< used if the job is traced
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

/// The ready threads, at most as many as clear() was given.
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
  /// Exchanges the first thread with the one `i` places behind it.
  void bring_forward(std::size_t i) {
    std::swap(ring_[head_ & (ring_.size() - 1)], ring_[(head_ + i) & (ring_.size() - 1)]);
  }

 private:
  std::vector<simt_thread*> ring_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

} // namespace evenly::detail
