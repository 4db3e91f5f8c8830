// SPDX-License-Identifier: Apache-2.0
// The thread_block concept: the threads that share storage and can synchronise.
//
// A kernel is a function object with this member:
//   template <class Block> EVENLY_FN void operator()(Block& block) const;
//
// Each executor calls it once per thread, with its own type of block:
//   cuda   a CUDA thread block; values known at compile time fold to constants
//   cpu    ONE thread: rank 0 of 1. Every collective is trivial. `Block::is_serial` is true
//   simt   n fibres in warps, run on the CPU: barriers, shuffles and votes are real and checked
//
// Members of a block, for every thread in it:
//   rank(), size()        the thread's number in [0, size()), and the number of threads (1 to 1024)
//   index(), count()      the block's number in the grid, and the number of blocks
//   shape()               {size, warp}: threads in the block, threads in a full warp
//   sync()                waits for all threads of the block; orders their accesses to storage and memory
//   warp_sync(mask), warp_shuffle(mask, value, lane), warp_ballot(mask, predicate)
//                         called by all lanes in `mask`, which includes the caller's lane. shuffle returns the value of
//                         `lane`, which is in the mask too. Only warp_sync orders accesses to storage
//   storage(slot)         the block's shared memory: an array of elements (block/storage.hpp)
//   fence()               orders this thread's earlier accesses to memory before its later ones, for all blocks
//   co_resident()         whether all blocks of the launch run at the same time (launch_shape)
//   backoff()             called in every iteration of a loop that waits for another block; backoff(nanoseconds) states
//                         how long a GPU's thread may sleep, at most 2^20 (block/backoff.hpp makes it grow)
//
// sync and the warp operations are collectives. It is an error if a thread skips one or calls it at another place in
// the source than the others; simt reports it.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"

namespace evenly {

/// A set of lanes of one warp: bit i is lane i. Warps have at most 64 lanes.
using lane_mask = std::uint64_t;

/// Returns the first `count` lanes. Requires 0 <= count <= 64.
EVENLY_FN constexpr lane_mask first_lanes(int count) {
  return count >= 64 ? ~lane_mask{0} : (lane_mask{1} << count) - 1;
}

/// Returns the number of lanes in a set.
EVENLY_INLINE_FN int lanes_in(lane_mask lanes) {
#if defined(__CUDA_ARCH__)
  return __popcll(lanes);
#else
  return std::popcount(lanes);
#endif
}

/// Return the least and the greatest lane of a nonempty set.
EVENLY_FN inline int first_lane(lane_mask lanes) {
#if defined(__CUDA_ARCH__) // std::countr_zero of 64 bits is not available on devices
  return __ffsll(static_cast<long long>(lanes)) - 1;
#else
  return std::countr_zero(lanes);
#endif
}
EVENLY_FN inline int last_lane(lane_mask lanes) {
#if defined(__CUDA_ARCH__)
  return 63 - __clzll(static_cast<long long>(lanes));
#else
  return 63 - std::countl_zero(lanes);
#endif
}

/// The shape of a block.
struct block_shape {
  int size = 1; ///< threads in the block, 1 to 1024
  int warp = 1; ///< threads in a full warp, a power of two; the block's last warp may be partial

  EVENLY_FN constexpr int warps() const { return ceil_div(size, warp); }
};

/// The maximum number of threads in a block.
inline constexpr int max_block_size = 1024;

/// A type with the members in the head of this file.
template <class B>
concept thread_block =
    requires(B& block, lane_mask mask, float value, bool predicate, int lane, std::uint32_t nanoseconds) {
      { B::is_serial } -> std::convertible_to<bool>;
      { block.rank() } -> std::same_as<int>;
      { block.size() } -> std::same_as<int>;
      { block.index() } -> std::same_as<int>;
      { block.count() } -> std::same_as<int>;
      { block.shape() } -> std::same_as<block_shape>;
      block.sync();
      block.warp_sync(mask);
      { block.warp_shuffle(mask, value, lane) } -> std::same_as<float>;
      { block.warp_ballot(mask, predicate) } -> std::same_as<lane_mask>;
      block.fence();
      { block.co_resident() } -> std::same_as<bool>;
      block.backoff();
      block.backoff(nanoseconds);
    };

/// Return the number of the calling thread's warp in its block, and its lane in the warp.
template <class Block> EVENLY_FN int warp_of(const Block& block) {
  return quotient(block.rank(), block.shape().warp);
}
template <class Block> EVENLY_FN int lane_of(const Block& block) {
  return remainder(block.rank(), block.shape().warp);
}

} // namespace evenly
