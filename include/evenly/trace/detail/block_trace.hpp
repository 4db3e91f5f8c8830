// SPDX-License-Identifier: Apache-2.0
// What one block of a traced launch counts for itself, and how the blocks of a launch are put together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/index.hpp"
#include "evenly/trace/detail/requests.hpp"
#include "evenly/trace/trace.hpp"

namespace evenly::detail {

/// The counts of one launch. Blocks add theirs when they end, from any operating-system thread.
class launch_trace {
 public:
  launch_trace(int blocks, block_shape shape) {
    totals_.launches = 1;
    totals_.blocks = blocks;
    totals_.threads = static_cast<std::int64_t>(blocks) * shape.size;
  }

  /// `steps`: for each time between two barriers, the most operations that a thread of the block did in it.
  void add(const trace_counts& block, const std::vector<std::int64_t>& steps) {
    const std::lock_guard lock(guard_);
    totals_ += block;
    if (steps_.size() < steps.size()) steps_.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) steps_[i] = larger(steps_[i], steps[i]);
  }

  /// When all blocks have ended.
  trace_counts totals() const {
    trace_counts all = totals_;
    for (const std::int64_t most : steps_) all.steps += most;
    return all;
  }

 private:
  std::mutex guard_;
  trace_counts totals_;
  std::vector<std::int64_t> steps_; ///< as of a block: the most of any
};

/// The counts of one block while it runs.
class block_trace {
 public:
  void begin(block_shape shape) {
    shape_ = shape;
    counts_ = {};
    steps_.clear();
    operations_.assign(shape.size, 0);
    requests_.begin(shape);
  }

  /// Where a thread counts its operations.
  std::int64_t& operations(int thread) { return operations_[thread]; }

  /// A thread accesses a T at `address`, in storage or memory.
  template <class T>
  void access(int thread, traced_access kind, std::uint64_t address, std::source_location where) {
    const access_place place{where.file_name(), where.function_name(), where.line(),
                             where.column(),    access_bytes<T>,       kind};
    requests_.access(quotient(thread, shape_.warp), remainder(thread, shape_.warp), place, address,
                     sizeof(T));
  }

  /// A thread does an atomic operation.
  void atomic(int thread, std::uint64_t address, std::uint32_t bytes, std::source_location where) {
    const access_place place{where.file_name(),    where.function_name(), where.line(), where.column(), bytes,
                             traced_access::atomic};
    requests_.access(quotient(thread, shape_.warp), remainder(thread, shape_.warp), place, address, bytes);
  }

  /// All threads have met in sync.
  void sync() {
    ++counts_.barriers;
    close_step();
  }

  /// Some lanes of a warp have met in a warp operation; `all`: these are all lanes of the warp.
  void warp_operation(int warp, bool all) {
    ++counts_.warp_operations;
    if (all) requests_.close(warp, counts_);
  }

  /// All threads are done.
  void end(launch_trace& launch) {
    close_step();
    launch.add(counts_, steps_);
  }

 private:
  /// Counts what was done since the last barrier.
  void close_step() {
    steps_.push_back(*std::max_element(operations_.begin(), operations_.end()));
    for (std::int64_t& each : operations_) counts_.operations += std::exchange(each, 0);
    for (int warp = 0; warp < shape_.warps(); ++warp) requests_.close(warp, counts_);
  }

  block_shape shape_;
  trace_counts counts_;
  std::vector<std::int64_t> steps_;
  std::vector<std::int64_t> operations_; ///< of each thread since the last barrier
  request_table requests_;
};

} // namespace evenly::detail
