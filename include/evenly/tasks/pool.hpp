// SPDX-License-Identifier: Apache-2.0
// The task_pool concept: where tasks wait, and how workers obtain them.
//
// Members of a pool:
//   static constexpr task_order order         the order in which a single worker gets its own tasks back
//   static constexpr task_progress progress   whether a stalled worker can block others in the pool
//   static constexpr bool linearizable        whether each operation takes effect at one moment between its call and
//                                             its return
//   std::int64_t tuned_capacity<T>(on_host, workers)   the default number of tasks in its memory
//   view<T>                                   the pool as kernels see it, trivially copyable (detail/task_kernel.hpp):
//                                             keeps_tasks: tasks stay on the workers' stacks while they have room;
//                                             has_shares: each worker has a share of the capacity
//   make<T>(memory, shape)                    a view in this memory; called twice, first without memory, to measure the
//                                             required size
//
// Laws, for every pool, executor and capacity (tests/tasks):
// 1. Each pushed task is run once, or is left if a run ends early: pushed + initial = run + left.
// 2. A run ends when no task is left, and not before; no clock takes part in that.
// 3. If the pool is full, a task stays on its worker's private stack, which runs it, newest first. If that is full too,
//    the run ends with task_overflow.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly::tasks {

/// The order in which a single worker gets its own tasks back.
enum class task_order { fifo, lifo, none };
/// Whether workers make progress if one of them stalls.
enum class task_progress {
  lock_free, ///< some worker makes progress, even if others stall
  blocking   ///< a worker that stalls inside an operation may block others
};

/// The run that a pool is made for.
struct pool_shape {
  int blocks;
  int workers_in_block;
  int lanes; ///< threads of a worker that call the pool's operations
  int width; ///< tasks that a worker runs at a time
  int stack; ///< tasks of a private stack
  std::int64_t capacity;
  std::int64_t initial;
  int growth = 0; ///< tasks by which a call may raise the height of the stack

  constexpr std::int64_t workers() const { return std::int64_t{blocks} * workers_in_block; }
};

/// Takes parts of a run's memory. Each part starts on a new cache line. Without memory it only counts bytes.
class pool_memory {
 public:
  explicit pool_memory(std::byte* zeroed = nullptr, std::byte* other = nullptr)
      : zeroed_(zeroed), other_(other) {}

  /// Return `count` elements: zero when the run begins, or undefined.
  template <class T> T* take_zeroed(std::int64_t count) { return take<T>(count, zeroed_, zeroed_bytes_); }
  template <class T> T* take(std::int64_t count) { return take<T>(count, other_, other_bytes_); }

  std::size_t zeroed_bytes() const { return zeroed_bytes_; }
  std::size_t other_bytes() const { return other_bytes_; }

 private:
  template <class T> static T* take(std::int64_t count, std::byte* base, std::size_t& used) {
    T* const at = base ? reinterpret_cast<T*>(base + used) : nullptr;
    used += ceil_div(static_cast<std::size_t>(count) * sizeof(T), grid_barrier::line) * grid_barrier::line;
    return at;
  }

  std::byte* zeroed_;
  std::byte* other_;
  std::size_t zeroed_bytes_ = 0;
  std::size_t other_bytes_ = 0;
};

/// A type with the members in the head of this file.
template <class P>
concept task_pool = requires(const P& pool, pool_memory& memory, const pool_shape& shape) {
  { P::order } -> std::convertible_to<task_order>;
  { P::progress } -> std::convertible_to<task_progress>;
  { P::linearizable } -> std::convertible_to<bool>;
  { pool.template tuned_capacity<int>(true, 1) } -> std::same_as<std::int64_t>;
  { pool.template make<int>(memory, shape) } -> std::same_as<typename P::template view<int>>;
};

/// A pool whose runs are profiled (task_options::profile) on every executor: profiled<stealing>{pool}. On cpu and cuda
/// these runs have other, slower kernels.
template <task_pool Pool> struct profiled : Pool {
  static constexpr bool is_profiled = true;
};
template <class Pool> inline constexpr bool is_profiled = requires { Pool::is_profiled; };

/// Returns the number of tasks for which `bytes` bytes have room.
template <class T> constexpr std::int64_t tasks_in(std::int64_t bytes) {
  return bytes / static_cast<std::int64_t>(sizeof(T));
}

} // namespace evenly::tasks
