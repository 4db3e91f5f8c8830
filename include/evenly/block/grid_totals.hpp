// SPDX-License-Identifier: Apache-2.0
// Meetings of all blocks of a co-resident launch that sum a number of each, at the cost of a meeting alone.
//
//   grid_totals meetings(block, memory);                                    // in the kernel, by all threads
//   const std::uint64_t sum = meetings.meet(scratch, [&] { return mine; }); // as often as they like
//   meetings.leave();                                                       // after the last one
//
// A word of 64 bits has in its upper 10 who has come, in the others the sum so far; so one addition says both, and who
// reads that all have come reads the sum. (grid_sum of grid_sync.hpp takes any number, and an operation more.) There
// are three words, each alone in its line, used in turn. Block 0 clears the next one before it comes to a meeting:
// those who read it last came to the meeting before. A launch notes whose turn it is, for the next one.
//
// Between coming and waiting a thread may do something else: `meanwhile`.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/call_place.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"

namespace evenly {

/// What meetings need of memory: zeros before the first launch. One launch uses it at a time.
struct totals_memory {
  static constexpr std::size_t line = 128; ///< bytes that a GPU moves together
  static constexpr std::size_t bytes = 4 * line;

  std::byte* memory;

  EVENLY_FN std::uint64_t& word(std::uint32_t turn) const {
    return *reinterpret_cast<std::uint64_t*>(memory + turn * line);
  }
  /// Whose turn is the first of the next launch.
  EVENLY_FN std::uint32_t& first() const { return *reinterpret_cast<std::uint32_t*>(memory + 3 * line); }
};

/// Of a thread that waits.
struct nothing_to_do {
  EVENLY_FN void operator()() const {}
};

/// Each thread of each block makes one.
template <class Block> class grid_totals {
 public:
  static constexpr int bits = 54;         ///< of a sum: what all blocks give together is less than 2^54
  static constexpr int max_blocks = 1023; ///< of a launch

  EVENLY_FN grid_totals(Block& block, const totals_memory& memory)
      : block_(block), memory_(memory), turn_(memory.first()) {
    detail::require_co_resident(block);
  }

  /// Waits for all threads of all blocks; orders their accesses to memory. Returns, to all, the sum of what mine()
  /// returns in each block's thread of rank 0, which calls it when all threads of the block have come. meanwhile() is
  /// called by all threads when their block has come, and may synchronise the block. nanoseconds: how long a GPU's
  /// block may sleep between two looks; 0: not at all. scratch: one element of storage, free again after the block's
  /// next sync(). Synchronises the block twice.
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
  /// After the last meeting, of which there is one at least.
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
