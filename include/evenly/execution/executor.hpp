// SPDX-License-Identifier: Apache-2.0
// Executors: the shape of a launch, the concept of an executor, its events, and the hook of an interruption.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <string>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// Events: a point in the work of one executor that another executor can wait for.
//
//   const auto done = first.record();    // comes after the work started on `first`
//   second.wait(done);                   // comes before the work started on `second` from here on
//
// On cuda neither call waits for the device: the streams, of one device or of two, are ordered there. The work of a
// host executor is done when its call returns, so its events need no waiting. A host executor that waits for a device's
// event blocks the calling thread. Events are copied freely and may outlive the executor.

namespace evenly {

/// An event of cpu or simt. It is complete from the start.
struct host_event {
  void synchronize() const {}
};

} // namespace evenly

// --- details ---------------------------------------------------------------------------------------------------------
// A hook of long work on the host. Bindings use it to check for signals of their language.

namespace evenly::detail {

/// If not null, the host calls it on the thread that does the work: before each block of cpu and simt, between parts of
/// a search or a sparse product on cpu, and before each read of a file. An exception of the hook ends the work.
inline std::atomic<void (*)()> interrupt_hook{nullptr};

inline void check_interrupt() {
  if (const auto hook = interrupt_hook.load(std::memory_order_relaxed)) hook();
}

} // namespace evenly::detail

// ---------------------------------------------------------------------------------------------------------------------
// launch_shape: how many blocks of how many threads a launch has, and the rules that every executor checks.

namespace evenly {

/// The shape of a launch.
struct launch_shape {
  int blocks = 0;           ///< 0 launches nothing
  int block_size = 1;       ///< threads per block, 1 to 1024; cpu runs every block as one thread
  bool co_resident = false; ///< all blocks run at the same time, so they may wait for each other
  /// Blocks may wait for blocks that have not begun. There are at least two blocks, and at most as many as can be
  /// resident. simt runs them at the same time. cuda does not guarantee this, because a cooperative launch costs time.
  /// So any two blocks must be able to finish without the others.
  bool two_at_once = false;
};

/// Throws invalid_argument if `shape` breaks a rule.
inline void check(const launch_shape& shape) {
  require(shape.blocks >= 0,
          [&] { return detail::concat("blocks = ", shape.blocks, ": must not be negative"); });
  require(shape.block_size >= 1 && shape.block_size <= max_block_size, [&] {
    return detail::concat("block_size = ", shape.block_size, ": a block has 1 to ", max_block_size,
                          " threads");
  });
}

/// Throws invalid_argument if a block of `block_size` threads needs more storage than there is.
inline void require_storage(std::size_t bytes, int block_size, std::size_t max) {
  require(bytes <= max, [&] {
    return detail::concat("a block of ", block_size, " threads needs ", bytes,
                          " bytes of storage, but the device has ", max, ": use smaller blocks");
  });
}

/// Whether launch() accepts a kernel.
template <class Kernel>
inline constexpr bool is_kernel = [] {
  static_assert(
      !requires { Kernel::least_blocks; } && !requires { Kernel::most_blocks; },
      "the members least_blocks and most_blocks of a kernel are now called min_blocks and max_blocks");
  return is_device_copyable<Kernel>;
}();

/// Returns the bytes of storage that `kernel` needs for a block of this shape. A kernel that uses storage has a public
/// function
///   lay_out(storage_layout&, block_shape)
/// marked EVENLY_FN and static or const. It allocates the slots and returns them (block/block.hpp).
template <class Kernel> std::size_t storage_bytes(const Kernel& kernel, block_shape shape) {
  storage_layout layout;
  if constexpr (requires { kernel.lay_out(layout, shape); }) kernel.lay_out(layout, shape);
  return layout.bytes();
}

/// Returns how many of the device's `threads` resident threads a kernel uses. The default is all. A kernel may limit it
/// by `max_blocks`, the measured number of blocks of its tuned_block_size per multiprocessor.
template <class Kernel> constexpr std::int64_t tuned_threads(std::int64_t threads) {
  constexpr std::int64_t of_multiprocessor = 2048;
  if constexpr (requires { Kernel::max_blocks; })
    return smaller(threads, threads * Kernel::tuned_block_size * Kernel::max_blocks / of_multiprocessor);
  else
    return threads;
}

/// The minimum number of items per serial block.
inline constexpr std::int64_t min_serial_items = 4096;
/// The number of blocks per thread in a launch with serial blocks, if there are enough items.
///
/// The time of SpMV on a 2000 x 1500 grid over that of an OpenMP loop with static schedule (two cores, warp_mapped,
/// 2026-11-20):
///
/// | blocks per thread | relative time |
/// |---|---|
/// | 8 | 1.03 to 1.07 |
/// | 16 | 1.01 to 1.05 |
/// | 32 | 1.02 |
/// | 64 | 1.01 to 1.04 |
inline constexpr int blocks_of_thread = 32;
/// Returns the number of items per block: at least 1, at most `items`.
/// - Parallel blocks: `parallel_items`.
/// - Serial blocks: items / (blocks_of_thread * threads), at least min_serial_items. Smaller blocks cost more overhead
///   than their better balance saves.
template <class Executor>
std::int64_t items_per_block(const Executor& exec, std::int64_t items, std::int64_t parallel_items) {
  std::int64_t each = parallel_items;
  if constexpr (Executor::serial_blocks)
    each = larger(ceil_div<std::int64_t>(items, std::int64_t{blocks_of_thread} * exec.threads()),
                  min_serial_items);
  return larger<std::int64_t>(smaller(each, items), 1);
}

/// Returns the maximum number of blocks for any number of items up to `max`, if each block has items_per_block items.
template <class Executor>
std::int64_t max_blocks(const Executor& exec, std::int64_t max, std::int64_t parallel_items) {
  if constexpr (Executor::serial_blocks)
    return smaller(ceil_div(max, min_serial_items), std::int64_t{blocks_of_thread} * exec.threads());
  else
    return ceil_div(max, parallel_items);
}

/// Returns the number of blocks for `items` at `per_block` each. Throws invalid_argument if a grid cannot have that
/// many.
inline int block_count(std::int64_t items, std::int64_t per_block) {
  const std::int64_t blocks = ceil_div(items, per_block);
  require(blocks <= std::numeric_limits<int>::max(), [&] {
    return detail::concat(blocks, " blocks exceed the maximum of a grid (2147483647): use larger blocks");
  });
  return static_cast<int>(blocks);
}

// ---------------------------------------------------------------------------------------------------------------------
// The executor concept: where kernels run, and the memory that they use. An executor E has these members and functions:
//
//   static constexpr bool serial_blocks             whether a block is one thread
//   static constexpr bool on_host                   whether the host can read its memory
//   std::pmr::memory_resource* resource() const     the source of its memory (memory.hpp)
//   void copy_to_host(to, from, bytes) const        waits for the executor's work
//   void copy_from_host(to, from, bytes) const      waits for the executor's work
//   void fill_zero(to, bytes) const                 asynchronous on cuda
//   record() const                                  returns an event after the work started so far
//   wait(event) const                               orders the work started later after the event
//   launch(exec, launch_shape, kernel)              found by ADL: starts the kernel on all blocks
//   int resident_blocks(exec, kernel, block_size)   found by ADL: how many such blocks are resident at once, at least 1
//
// If blocks are serial:
//   int threads() const                             how many blocks run at the same time
//
// If they are not:
//   block_shape shape_of(block_size) const          the shape of a block of block_size threads
//   std::int64_t resident_threads() const           how many threads are resident at the same time
//   std::size_t max_storage() const                 the maximum bytes of storage per block
//
// If the host cannot read its memory:
//   int device() const                              the device of the memory
//
// Executors are copied freely; copies are the same executor.

namespace detail {

/// A kernel that does nothing, for testing executors.
struct any_kernel {
  template <class Block> EVENLY_FN void operator()(Block&) const {}
};

} // namespace detail

/// A type with the members and functions in the head of this section.
template <class E>
concept executor =
    std::copy_constructible<E> &&
    requires(const E& exec, void* to, const void* from, std::size_t bytes, launch_shape shape) {
      { E::serial_blocks } -> std::convertible_to<bool>;
      { E::on_host } -> std::convertible_to<bool>;
      { exec.resource() } -> std::convertible_to<std::pmr::memory_resource*>;
      exec.copy_to_host(to, from, bytes);
      exec.copy_from_host(to, from, bytes);
      exec.fill_zero(to, bytes);
      exec.wait(exec.record());
      launch(exec, shape, detail::any_kernel{});
      { resident_blocks(exec, detail::any_kernel{}, 1) } -> std::same_as<int>;
    } && (E::on_host || requires(const E& exec) {
      { exec.device() } -> std::same_as<int>;
    }) && ((E::serial_blocks && requires(const E& exec) {
             { exec.threads() } -> std::same_as<int>;
           }) || (!E::serial_blocks && requires(const E& exec, int block_size) {
             { exec.shape_of(block_size) } -> std::same_as<block_shape>;
             { exec.resident_threads() } -> std::convertible_to<std::int64_t>;
             { exec.max_storage() } -> std::convertible_to<std::size_t>;
           }));

} // namespace evenly
