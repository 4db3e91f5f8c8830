// SPDX-License-Identifier: Apache-2.0
// launch_shape: how many blocks of how many threads a launch has, and the rules that every executor checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/storage.hpp"
#include "evenly/core/device_copyable.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"

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
/// marked EVENLY_FN and static or const. It allocates the slots and returns them (block/storage.hpp).
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
/// The number of blocks per core of a launch with serial blocks, if there are enough items.
///
/// The time of SpMV on a 2000 x 1500 grid over that of an OpenMP loop with static schedule (two cores, warp_mapped,
/// 2026-11-20):
///
/// | blocks per core | relative time |
/// |---|---|
/// | 8 | 1.03 to 1.07 |
/// | 16 | 1.01 to 1.05 |
/// | 32 | 1.02 |
/// | 64 | 1.01 to 1.04 |
inline constexpr int blocks_of_thread = 32;
/// Returns the number of items per block: at least 1, at most `items`.
/// - Parallel blocks: `parallel_items`.
/// - Serial blocks: 1/32 of the items per core, at least min_serial_items. The overhead of smaller blocks exceeds their
///   better balance.
template <class Executor>
std::int64_t items_per_block(const Executor& exec, std::int64_t items, std::int64_t parallel_items) {
  std::int64_t each = parallel_items;
  if constexpr (Executor::serial_blocks)
    each = larger(ceil_div<std::int64_t>(items, std::int64_t{blocks_of_thread} * exec.threads()),
                  min_serial_items);
  return larger<std::int64_t>(smaller(each, items), 1);
}

/// Returns the maximum number of blocks for any number of items up to `max`, if each block gets items_per_block.
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
  require(blocks <= std::numeric_limits<int>::max(),
          [&] { return detail::concat(blocks, " blocks exceed the maximum of a grid (2147483647)"); });
  return static_cast<int>(blocks);
}

} // namespace evenly
