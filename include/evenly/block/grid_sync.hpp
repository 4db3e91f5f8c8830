// SPDX-License-Identifier: Apache-2.0
// grid_sync and grid_sum: a barrier of all blocks of a co-resident launch, and a barrier that also sums a number per
// block.
//
//   lease.take(exec, 0).barrier        // on the host, from a workspace: a member of the kernel
//                                      (execution/memory.hpp)
//   grid_sync(block, barrier);         // in the kernel, by all threads of all blocks
//
// One thread of each block adds to a word, alone in its 128 bytes, by a release, and reads it by acquires until all
// blocks have arrived. The upper half of the word counts the barriers, the lower half the arrivals at the current one.
// Each block adds 1, except block 0: it adds the number that makes the lower half overflow when all have arrived.
// Nothing is reset afterwards, and the next launch may have another number of blocks.
//
// A sum has a word of its own; there are four, used in turn. Block 0 clears the next one before it arrives, when no
// block uses it: its last readers arrived at the previous barrier, and its next writers arrive at the next one.
//
// Cost on a GPU: an atomic operation, and a read of data that others wrote; a sum takes one more of each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"

#if defined(__CUDACC__)
#include <cassert>
#endif

namespace evenly {

namespace detail {

inline constexpr char not_co_resident[] = "grid_sync needs a co-resident launch, in which blocks can wait "
                                          "for each other: set launch_shape::co_resident";

template <class Block> EVENLY_FN void require_co_resident(const Block& block) {
  if (block.co_resident()) return;
#if defined(__CUDA_ARCH__)
  __assert_fail("a launch with grid_sync must be co-resident (launch_shape::co_resident)", __FILE__, __LINE__,
                "grid_sync");
#else
  throw invalid_argument(not_co_resident);
#endif
}

/// Called by one thread of each block. Returns when one thread of every block has called it.
template <class Block> EVENLY_FN void wait_at_barrier(Block& block, std::uint64_t* word) {
  const atomic_ref arrived(*word);
  const auto others = static_cast<std::uint64_t>(block.count()) - 1;
  const std::uint64_t mine = block.index() == 0 ? (std::uint64_t{1} << 32) - others : 1;
  const auto number = static_cast<std::uint32_t>(arrived.fetch_add(mine, order::release{}) >> 32);
  while (static_cast<std::uint32_t>(arrived.load(order::acquire{}) >> 32) == number) {
#if !defined(__CUDA_ARCH__) // on a GPU the waiting thread has nothing else to do, and sleeping would delay it
    if constexpr (requires { block.await_grid(); })
      block.await_grid();
    else
      block.backoff();
#endif
  }
}

} // namespace detail

/// Waits for all threads of all blocks of the launch, and orders their accesses to memory. All of them call it.
/// Synchronises the block twice.
///
/// Requires a co-resident launch: otherwise throws invalid_argument on cpu and simt, and ends the kernel on cuda.
template <class Block>
EVENLY_FN void grid_sync(Block& block, const grid_barrier& barrier, call_place<Block> from = {}) {
  const called_at<Block> call(block, from);
  detail::require_co_resident(block);
  block.sync();
  if (block.rank() == 0) detail::wait_at_barrier(block, barrier.syncs());
  block.sync();
}

/// Does the same as grid_sync and returns, to all threads, the sum of the blocks' numbers modulo 2^64.
/// - `mine`: the block's number, read in its thread of rank 0.
/// - `scratch`: one element of storage, free again after the block's next sync().
template <class Block, class Scratch>
EVENLY_FN std::int64_t grid_sum(Block& block, const grid_barrier& barrier, std::int64_t mine,
                                const Scratch& scratch, call_place<Block> from = {}) {
  const called_at<Block> call(block, from);
  detail::require_co_resident(block);
  std::uint32_t number = 0;
  if (block.rank() == 0) // the next barrier begins only after this block has arrived
    number = static_cast<std::uint32_t>(atomic_ref(*barrier.sums()).load(order::relaxed{}) >> 32);
  block.sync();
  if (block.rank() == 0) {
    const atomic_ref sum(barrier.sum(number));
    sum.fetch_add(static_cast<std::uint64_t>(mine), order::relaxed{});
    if (block.index() == 0) atomic_ref(barrier.sum(number + 1)).store(0, order::relaxed{});
    detail::wait_at_barrier(block, barrier.sums());
    scratch[0] = static_cast<std::int64_t>(sum.load(order::relaxed{}));
  }
  block.sync();
  return scratch[0];
}

// ---------------------------------------------------------------------------------------------------------------------
// grid_totals: barriers of all blocks of a co-resident launch that also sum a number per block, at the cost of a
// barrier.
//
//   grid_totals totals(block, memory);                                    // in the kernel, by all threads
//   const std::uint64_t sum = totals.sync(scratch, [&] { return mine; }); // any number of times
//   totals.leave();                                                       // after the last one
//
// A word of 64 bits has the number of arrivals in its upper 10 bits and the sum in the others. One addition updates
// both, and a read that sees all arrivals also sees the sum. (grid_sum of grid_sync.hpp takes any number, and one
// operation more.) There are three words, each alone in its line, used in turn. Block 0 clears the next one before it
// arrives at a barrier: its last readers arrived at the barrier before. A launch records the next turn for the next
// launch.
//
// A thread may do other work between its arrival and the wait: `meanwhile`.

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
