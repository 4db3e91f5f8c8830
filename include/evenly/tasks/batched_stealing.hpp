// SPDX-License-Identifier: Apache-2.0
// batched_stealing: each worker keeps its tasks on a stack of its own, which nobody else touches; a worker that has
// none asks for some (Acar, Charguéraud & Rainey, PPoPP 2013: work stealing with private deques, by requests). So a
// push and a pop cost no atomic operation, and the newest tasks stay in the block's storage.
//
// A worker without tasks sets its bit in a mask of its block, and after a few looks in one of the grid. A worker with
// more than it will run next looks there between two bursts, claims a bit by an atomic operation, which somebody else
// may have done before (a failed steal), puts its oldest tasks into the box of the one who asked, up to 128 of them,
// and raises its flag. Each worker has two boxes, since one of its block and one of the grid may give at the same time.
// A worker that was given something by its block withdraws what it asked of the grid. If it is too late for that, the
// other gift waits in its box until it is needed, and the worker asks for nothing before.
//
// What does not fit on the stack goes to a ring of the worker's in memory, the oldest half at once, and comes back when
// the stack is empty, the newest first; who asks is given the oldest. Where the ring is full a worker goes depth-first.
//
// A token stands for each block in which some worker has tasks, and for each gift under way from block to block. It is
// there before the gift can be seen. Who is given something while all others of its block are idle keeps the token for
// the block; else it gives it back. The worker that gives back the last one raises all flags to `done`.
//
// Last in, first out, as long as a worker has not given; lock-free: a worker that stands still holds up only what it
// has; linearizable: each stack and ring has one user, and a gift is handed over by one store.
//
// Wins nearly always, and by most where tasks are short. Loses where bodies run long while others have nothing: a
// worker gives only when its body returns.
#pragma once

#include <cstdint>

#include "evenly/core/index.hpp"
#include "evenly/tasks/detail/batched_exchange.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly {

struct batched_stealing {
  static constexpr task_order order = task_order::lifo;
  static constexpr task_progress progress = task_progress::lock_free;
  static constexpr bool linearizable = true;

  /// A worker gives from so many batches of its tasks on, a batch being what it runs at a time; less than 2 is too few:
  /// the same tasks go round and round. On an H200 searches of many short bodies gain by 3 (Fibonacci(40) 3%), others
  /// lose by it (14 queens 20%).
  double give_from = 2.5;

  template <class T> using view = detail::batched_stealing_view<T>;

  /// Of each worker: enough for a depth-first descent of thousands of levels.
  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t workers) {
    return workers * tasks_in<T>(on_host ? 1 << 20 : 128 << 10);
  }

  template <class T> view<T> make(pool_memory& memory, const pool_shape& shape) const {
    view<T> made{};
    const std::int64_t workers = shape.workers(), busy = ceil_div<std::int64_t>(shape.initial, shape.width);
    made.asking = memory.take_zeroed<std::uint32_t>(ceil_div<std::int64_t>(workers, 32));
    made.flags = memory.take_zeroed<detail::task_word>(workers);
    made.broadcast = memory.take_zeroed<detail::task_word>(1);
    made.box = smaller(128, shape.stack / 2);
    made.ring = static_cast<int>(smaller<std::int64_t>(ceil_div(shape.capacity, workers), 1 << 30));
    made.boxes = memory.take<T>(workers * view<T>::boxes_of_worker * made.box);
    made.rings = memory.take<T>(workers * made.ring);
    made.give_from = larger(static_cast<int>(give_from * shape.width), 2);
    made.busy_blocks =
        smaller<std::int64_t>(ceil_div<std::int64_t>(busy, shape.workers_in_block), shape.blocks);
    return made;
  }
};

static_assert(task_pool<batched_stealing>);

} // namespace evenly
