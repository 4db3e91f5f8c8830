// SPDX-License-Identifier: Apache-2.0
// grid_totals: barriers of all blocks of a co-resident launch that also sum a number per block, at the cost of a
// barrier.
//
//   grid_totals meetings(block, memory);                                    // in the kernel, by all threads
//   const std::uint64_t sum = meetings.sync(scratch, [&] { return mine; }); // any number of times
//   meetings.leave();                                                       // after the last one
//
// A word of 64 bits has the number of arrivals in its upper 10 bits and the sum in the others. One addition updates
// both, and a read that sees all arrivals also sees the sum. (grid_sum of grid_sync.hpp takes any number, and one
// operation more.) There are three words, each alone in its line, used in turn. Block 0 clears the next one before it
// arrives at a barrier: its last readers arrived at the barrier before. A launch records the next turn for the next
// launch.
//
// A thread may do other work between its arrival and the wait: `meanwhile`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/call_place.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly {

/// The memory of the barriers: zeros before the first launch. Only one launch may use it at a time.
struct totals_memory {
  static constexpr std::size_t line = 128; ///< bytes that a GPU moves together
  static constexpr std::size_t bytes = 4 * line;

  std::byte* memory;

  EVENLY_FN std::uint64_t& word(std::uint32_t turn) const {
    return *reinterpret_cast<std::uint64_t*>(memory + turn * line);
  }
  /// The first turn of the next launch.
  EVENLY_FN std::uint32_t& first() const { return *reinterpret_cast<std::uint32_t*>(memory + 3 * line); }
};

/// The default work of a waiting thread: none.
struct nothing_to_do {
  EVENLY_FN void operator()() const {}
};

/// Each thread of each block makes one.
template <class Block> class grid_totals {
 public:
  static constexpr int bits = 54;         ///< bits of a sum: the sum of all blocks is less than 2^54
  static constexpr int max_blocks = 1023; ///< in a launch

  EVENLY_FN grid_totals(Block& block, const totals_memory& memory)
      : block_(block), memory_(memory), turn_(memory.first()) {
    detail::require_co_resident(block);
  }

  /// Waits for all threads of all blocks, and orders their accesses to memory. Returns to all threads the sum of the
  /// blocks' numbers. Synchronises the block twice.
  ///
  /// - `mine`: mine() returns the block's number. The thread of rank 0 calls it when all threads of the block have
  ///   arrived.
  /// - `meanwhile`: all threads call meanwhile() after their block has arrived. It may synchronise the block.
  /// - `nanoseconds`: how long a GPU's block may sleep between two polls; 0: not at all.
  /// - `scratch`: one element of storage, free again after the block's next sync().
  template <class Scratch, class Mine, class Meanwhile = nothing_to_do>
  EVENLY_FN std::uint64_t sync(const Scratch& scratch, const Mine& mine, const Meanwhile& meanwhile = {},
                               std::uint32_t nanoseconds = 0, call_place<Block> from = {}) {
    const called_at<Block> call(block_, from);
    std::uint64_t& word = memory_.word(turn_);
    turn_ = turn_ == 2 ? 0 : turn_ + 1;
    block_.sync();
    if (block_.rank() == 0) {
      if (block_.index() == 0) atomic_ref(memory_.word(turn_)).store(0, order::relaxed{});
      atomic_ref(word).fetch_add((std::uint64_t{1} << bits) | mine(), order::release{});
    }
    meanwhile();
    if (block_.rank() == 0) scratch[0] = await(word, nanoseconds);
    block_.sync();
    return scratch[0];
  }
  /// Call it after the last barrier. Requires at least one barrier.
  EVENLY_FN void leave() const {
    if (block_.index() == 0 && block_.rank() == 0) memory_.first() = turn_;
  }

 private:
  EVENLY_FN std::uint64_t await(std::uint64_t& word, [[maybe_unused]] std::uint32_t nanoseconds) const {
    const auto blocks = static_cast<std::uint64_t>(block_.count());
    for (;;) {
      const std::uint64_t seen = atomic_ref(word).load(order::acquire{});
      if (seen >> bits == blocks) return seen & ((std::uint64_t{1} << bits) - 1);
#if defined(__CUDA_ARCH__)
      if (nanoseconds > 0) block_.backoff(nanoseconds);
#else
      if constexpr (requires { block_.await_grid(); })
        block_.await_grid();
      else
        block_.backoff();
#endif
    }
  }

  Block& block_;
  totals_memory memory_;
  std::uint32_t turn_;
};

} // namespace evenly
