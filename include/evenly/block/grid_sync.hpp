// SPDX-License-Identifier: Apache-2.0
// grid_sync and grid_sum: a barrier of all blocks of a co-resident launch, and a barrier that also sums a number per
// block.
//
//   lease.take(exec, 0).barrier        // on the host, from a workspace: a member of the kernel
//                                      (execution/workspace.hpp)
//   grid_sync(block, barrier);         // in the kernel, by all threads of all blocks
//
// One thread of each block adds to a word, alone in its 128 bytes, by a release, and reads it by acquires until all
// blocks have arrived. The upper half of the word counts the barriers, the lower half the arrivals at the current one.
// Each block adds 1, except block 0: it adds the number that makes the lower half overflow when all have arrived.
// Nothing is reset afterwards, and the next launch may have another number of blocks.
//
// A sum has a word of its own; there are four, used in turn. Block 0 clears the next one before it arrives: its last
// readers arrived at the barrier before, and its next writers arrive after this one.
//
// Cost on a GPU: an atomic operation, and a read of data that others wrote; a sum takes one more of each.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/detail/call_place.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/workspace.hpp"

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
template <class Block> EVENLY_FN void meet_blocks(Block& block, std::uint64_t* word) {
  const atomic_ref arrived(*word);
  const auto others = static_cast<std::uint64_t>(block.count()) - 1;
  const std::uint64_t mine = block.index() == 0 ? (std::uint64_t{1} << 32) - others : 1;
  const auto meeting = static_cast<std::uint32_t>(arrived.fetch_add(mine, order::release{}) >> 32);
  while (static_cast<std::uint32_t>(arrived.load(order::acquire{}) >> 32) == meeting) {
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
  if (block.rank() == 0) detail::meet_blocks(block, barrier.syncs());
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
  std::uint32_t meeting = 0;
  if (block.rank() == 0) // the next barrier begins only after this block has arrived
    meeting = static_cast<std::uint32_t>(atomic_ref(*barrier.sums()).load(order::relaxed{}) >> 32);
  block.sync();
  if (block.rank() == 0) {
    const atomic_ref sum(barrier.sum(meeting));
    sum.fetch_add(static_cast<std::uint64_t>(mine), order::relaxed{});
    if (block.index() == 0) atomic_ref(barrier.sum(meeting + 1)).store(0, order::relaxed{});
    detail::meet_blocks(block, barrier.sums());
    scratch[0] = static_cast<std::int64_t>(sum.load(order::relaxed{}));
  }
  block.sync();
  return scratch[0];
}

} // namespace evenly
