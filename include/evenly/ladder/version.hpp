// SPDX-License-Identifier: Apache-2.0
// The common parts of all versions of the ladder.
//
// The ladder is the course on reduction and prefix sums, from naive to fast, as code that runs. Each version does the
// same as the version below it, better in one respect. (The course says step; here a step is a parallel one,
// trace/trace.hpp.) Members of a version:
//   name, teaches                       its name, and its lesson in one line
//   formula_steps, formula_operations   T(n, p) and W(n, p) in words, for any number of threads in a block
//   block_size                          threads in a block: a power of two. Small levels get smaller blocks
//   prepare<T>(exec, n)                 the memory for n elements, made before the clock starts
//   predict(...)                        the counts of simt for such a run, as closed forms. `fast` has none: its work
//                                       depends on the executor
//   operator()                          launches the kernels
//
// A call is asynchronous on cuda, and allocates nothing except in the first call of `fast` (execution/memory.hpp).
// Kernels read and write memory only through traced(), and run on every executor. On cpu, where a block is one thread,
// each block has enough elements to keep a core busy, and processes them in order.
#pragma once

#include <cstdint>
#include <string>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::ladder {

/// The default number of threads in a block of a version; kernels are compiled for it.
inline constexpr int usual_block_size = 256;

/// The memory of a version between its launches, and of `fast` between its calls.
template <class T> struct room {
  buffer<T> elements;
  workspace shared;
};

/// The predicted cost of a run. The names are those of trace_counts.
struct prediction {
  std::int64_t launches = 0;
  std::int64_t threads = 0; ///< p: maximum over all launches
  std::int64_t barriers = 0;
  std::int64_t steps = 0;      ///< T(n, p)
  std::int64_t operations = 0; ///< W(n, p)

  std::int64_t cost() const { return threads * steps; } ///< C(n, p)
  bool operator==(const prediction&) const = default;
};

namespace detail {

/// Returns the least k with 2^k >= n; 0 for n < 2.
constexpr int ceil_log2(std::int64_t n) {
  int k = 0;
  while (k < 62 && (std::int64_t{1} << k) < n) ++k;
  return k;
}

/// Throws invalid_argument if a version does not support such blocks, or `n` elements.
inline void check(int block_size, std::int64_t n) {
  require(block_size >= 1 && block_size <= max_block_size && floor_power_of_two(block_size) == block_size,
          [&] {
            return "block_size = " + std::to_string(block_size) + ": must be a power of two from 1 to 1024";
          });
  require(n >= 0, [&] { return "n = " + std::to_string(n) + ": must not be negative"; });
}

/// Returns the number of threads for the work: the least power of two that is at least `needed`, at most `max`, which
/// is a power of two.
constexpr int enough_threads(std::int64_t needed, int max) {
  return needed >= max ? max : 1 << ceil_log2(needed);
}

/// Elements, or pairs of elements, that are assigned to blocks in order: block b has those from b * per_block.
struct distribution {
  std::int64_t items = 0;
  std::int64_t per_block = 1;
  int threads = 1;

  int blocks() const { return block_count(items, per_block); }
  launch_shape shape() const { return {blocks(), threads}; }

  /// Calls body(i) for the items of the calling thread.
  template <class Block, class Body> EVENLY_FN void for_each(const Block& block, const Body& body) const {
    const std::int64_t first = block.index() * per_block;
    const std::int64_t last = smaller(first + per_block, items);
    for (std::int64_t i = first + block.rank(); i < last; i += block.size()) body(i);
  }
};

/// One item per thread; only the last block has threads without an item.
template <class Executor> distribution one_each(const Executor& exec, std::int64_t items, int block_size) {
  const auto threads = static_cast<int>(larger<std::int64_t>(smaller<std::int64_t>(block_size, items), 1));
  return {items, items_per_block(exec, items, threads), threads};
}

/// Two elements per thread: a block has a chunk of twice as many elements as threads.
template <class Executor> distribution two_each(const Executor& exec, std::int64_t items, int block_size) {
  const int threads = enough_threads(ceil_div<std::int64_t>(items, 2), block_size);
  std::int64_t chunk = 2 * threads;
  if constexpr (Executor::serial_blocks) chunk = items_per_block(exec, items, chunk);
  return {items, chunk, threads};
}

/// The same numbers if every block has all its threads, as on simt and cuda. For predictions.
struct parallel_blocks {
  static constexpr bool serial_blocks = false;
};

} // namespace detail

} // namespace evenly::ladder
