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
//   storage(slot)         the block's shared memory: an array of elements
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
#include <cstddef>
#include <cstdint>
#include <type_traits>

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

// --- details ---------------------------------------------------------------------------------------------------------
// The place where a collective was called, so that simt can name the caller's line for an error inside the collective.
//
//   template <class Block, ...> EVENLY_FN T collective(Block& block, ..., call_place<Block> from = {}) {
//     const called_at<Block> call(block, from);
//
// simt records the outermost of nested collectives. On other blocks both types are empty.

namespace detail {

struct no_call_place {};
struct call_not_noted {
  template <class Block> EVENLY_INLINE_FN constexpr call_not_noted(const Block&, no_call_place) {}
};

template <class Block> struct call_types {
  using place = no_call_place;
  using noted = call_not_noted;
};
template <class Block>
requires requires { typename Block::call_place; }
struct call_types<Block> {
  using place = typename Block::call_place;
  using noted = typename Block::called_at;
};

} // namespace detail

template <class Block> using call_place = typename detail::call_types<Block>::place;
template <class Block> using called_at = typename detail::call_types<Block>::noted;

// ---------------------------------------------------------------------------------------------------------------------
// traced: memory as a kernel sees it. On cpu and cuda it is a pointer, at no cost. On simt it is a view that counts
// accesses (trace/trace.hpp) and finds races among all threads of a launch.
//
//   const auto in = traced(block, in_);     // in_ is for example a const float*
//   const auto out = traced(block, out_);
//   float value = in[i];                    // `float`, not `auto`: simt then sees every access
//   out[i] = value;
//
// A kernel whose accesses are to be counted accesses its memory only through such views. Indices have at most 64 bits.
// Elements are read and assigned as a whole, into a variable of their type, as those of storage are. Atomic operations
// take the pointer itself, and are seen too.

/// Returns a view of `memory`, which may be const, for the calling thread of `block`.
template <class Block, class T> EVENLY_INLINE_FN auto traced(Block& block, T* memory) {
  if constexpr (requires { block.traced(memory); })
    return block.traced(memory);
  else
    return memory;
}

// ---------------------------------------------------------------------------------------------------------------------
// Storage: the memory that the threads of one block share.
//
// A kernel describes its storage once, in its member lay_out: a function of the block's shape that takes slots from a
// storage_layout. launch calls it to get the number of bytes. The kernel calls the same function (it folds to
// constants) to get the places, so the two cannot disagree:
//
//   template <class T> struct scratch { slot<T> partials; slot<int> flags; };
//   scratch<T> lay_out(storage_layout& layout, block_shape shape) {
//     return {layout.take<T>(shape.warps()), layout.take<int>(shape.size)};
//   }
//
// Data whose lifetimes do not overlap can share bytes: take a mark() before the first, rewind(mark) before the next,
// and call skip_to_max() before data that live next to both. The block must sync() between the last use of the one and
// the first use of the other.
//
// Elements are read and assigned as a whole, into a variable of their type: `float x = values[i]`, not `auto x`, no
// `values[i].member`. simt then sees every access. atomic_ref(values[i]) is for accesses by several threads without
// sync() between them (execution/atomic.hpp); these are no races.

/// A place for `count` elements of T, `offset` bytes from the start of a block's storage.
template <class T> struct slot {
  std::uint32_t offset = 0;
  std::uint32_t count = 0;

  /// The elements [first, first + size) of the slot.
  EVENLY_FN constexpr slot part(int first, int size) const {
    return {offset + static_cast<std::uint32_t>(first) * static_cast<std::uint32_t>(sizeof(T)),
            static_cast<std::uint32_t>(size)};
  }
};

/// Assigns places in storage. See the head of this section.
class storage_layout {
 public:
  /// Returns the next free place for `count` elements, aligned to 16 bytes. Compilers may read 16 bytes where fewer are
  /// needed. With this alignment they do not touch the data before, which another thread may write (harmless, but race
  /// checkers report it). Requires count >= 0 and alignof(T) <= 16.
  template <class T> EVENLY_FN constexpr slot<T> take(int count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16);
    const auto offset = (used_ + alignment - 1) / alignment * alignment;
    used_ = offset + static_cast<std::uint32_t>(sizeof(T)) * static_cast<std::uint32_t>(count);
    max_ = larger(max_, used_);
    return {offset, static_cast<std::uint32_t>(count)};
  }
  EVENLY_FN constexpr std::uint32_t mark() const { return used_; }
  EVENLY_FN constexpr void rewind(std::uint32_t mark) { used_ = mark; }
  /// Continues after everything that was ever taken.
  EVENLY_FN constexpr void skip_to_max() { used_ = max_; }

  /// The greatest number of bytes in use at any time, rounded up to a multiple of 16, for the same reason.
  EVENLY_FN constexpr std::size_t bytes() const { return (max_ + alignment - 1) / alignment * alignment; }

 private:
  static constexpr std::uint32_t alignment = 16;

  std::uint32_t used_ = 0;
  std::uint32_t max_ = 0;
};

/// Storage on the executors that do not check it: a plain array. simt has a type with the same operations.
template <class T> class plain_storage {
 public:
  EVENLY_FN plain_storage(T* data, int count) : data_(data), count_(count) {}
  /// Element i, to read or to assign. Requires 0 <= i < size().
  EVENLY_FN T& operator[](int i) const { return data_[i]; }
  EVENLY_FN int size() const { return count_; }
  EVENLY_FN T* data() const { return data_; }

 private:
  T* data_;
  int count_;
};

namespace detail {

/// Returns the same storage; a GPU compiler then keeps its address in a register. Otherwise it computes addresses of
/// storage at each access, which takes half a dozen instructions: too many for a short loop.
template <class Storage> EVENLY_INLINE_FN Storage kept_in_register(const Storage& storage) { return storage; }
template <class T> EVENLY_INLINE_FN plain_storage<T> kept_in_register(const plain_storage<T>& storage) {
#if defined(__CUDA_ARCH__)
  auto address = static_cast<unsigned>(__cvta_generic_to_shared(storage.data()));
  asm volatile("" : "+r"(address));
  return {static_cast<T*>(__cvta_shared_to_generic(address)), storage.size()};
#else
  return storage;
#endif
}

} // namespace detail
} // namespace evenly
