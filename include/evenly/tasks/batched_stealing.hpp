// SPDX-License-Identifier: Apache-2.0
// batched_stealing: each worker keeps its tasks on a private stack; a worker without tasks requests some (Acar,
// Charguéraud & Rainey, PPoPP 2013: work stealing with private deques, by requests). So a push and a pop cost no atomic
// operation, and the newest tasks stay in the block's storage.
//
// * Request: a worker without tasks sets its bit in a mask of its block. After a few attempts it also sets one in a
//   mask of the grid.
// * Gift: a worker with more tasks than it will run next reads the masks between two bursts. It claims a bit by an
//   atomic operation; if another worker has claimed it, this is a failed steal. Then it puts up to 128 of its oldest
//   tasks into the box of the requesting worker, and raises that worker's flag.
//   The interval follows the cost of the body on a GPU. If a body takes longer than a gift (runs_long, tasks/body.hpp),
//   the worker gives to several workers in turn, and passes on a part of what it is given before it runs the rest.
// * Two boxes: each worker has one for its block and one for the grid, since both may give at the same time. A worker
//   that receives a gift from its block withdraws its request to the grid. If it is too late, the other gift waits in
//   its box until it is needed, and until then the worker requests nothing.
// * Overflow: if the stack is full, its oldest half moves to the worker's ring in memory. It comes back, newest first,
//   when the stack is empty. Gifts take the oldest tasks. If the ring is full, the worker proceeds depth-first.
// * End: a token stands for each block in which some worker has tasks, and for each gift between blocks. It is added
//   before the gift is visible. If all other workers of the receiving block are idle, the worker keeps the token for
//   the block; otherwise it returns it. The worker that returns the last token raises all flags to `done`.
//
// Last in, first out, until a worker gives. Lock-free: a worker that stalls blocks only its own tasks. Linearizable:
// each stack and ring has one user, and a gift is published by one store.
//
// Wins nearly always, by most with short tasks. Loses if bodies run long while other workers have nothing: a worker
// gives only when its body returns.
#pragma once

#include <cstdint>

#include "evenly/core/index.hpp"
#include "evenly/tasks/detail/batched_exchange.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::tasks {

/// The pool of private stacks. See the head of this file.
struct batched_stealing {
  static constexpr task_order order = task_order::lifo;
  static constexpr task_progress progress = task_progress::lock_free;
  static constexpr bool linearizable = true;

  /// A worker gives if it has at least this many batches of tasks; a batch is what it runs at a time. Less than 2 is
  /// too few: the same tasks circulate. On an H200 searches of many short bodies gain by 3 (Fibonacci(40) 3%), others
  /// lose by it (14 queens 20%).
  double give_from = 2.5;

  template <class T> using view = detail::batched_stealing_view<T>;

  /// Each worker's share is enough for a depth-first descent of thousands of levels.
  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t workers) {
    return workers * tasks_in<T>(on_host ? 1 << 20 : 128 << 10);
  }

  template <class T> view<T> make(pool_memory& memory, const pool_shape& shape) const {
    view<T> made{};
    const std::int64_t workers = shape.workers(), busy = ceil_div<std::int64_t>(shape.initial, shape.width);
    made.asking = memory.take_zeroed<std::uint32_t>(ceil_div<std::int64_t>(workers, 32));
    made.flags = memory.take_zeroed<detail::task_word>(workers);
    made.broadcast = memory.take_zeroed<detail::task_word>(1);
    // Two gifts fit on the stack of a worker, with room for the children of a task.
    made.box = smaller(128, (shape.stack - shape.growth) / 2);
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

} // namespace evenly::tasks

namespace evenly {

using tasks::batched_stealing;

} // namespace evenly
