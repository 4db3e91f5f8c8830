// SPDX-License-Identifier: Apache-2.0
// The exchange between a worker and a pool that is one queue for all workers: all pushed tasks go through the queue.
//
// A queue, as kernels see it, has two members: has_shares, whether each worker has a share of its memory, and a class
// handle<Worker>. A member polls_without_pause removes the pauses of a worker that waits for a task. All lanes of a
// worker make a handle, and call its two operations together:
//   int push(count, get)   inserts get(0), get(1), ... while there is room; returns the number inserted
//   int pop(max, put)      removes up to `max` tasks and calls put(i, task) for each, by some lane; returns the
//                          number, 0 if the queue was empty at some moment of the call, or `contended`: try again
//
// The run ends by the count of tokens, of which there is at least one for each task that is not done. A worker holds at
// least as many tokens as it has tasks. It adds to the count before it pushes a task for which it holds no token. It
// returns its tokens when it finds no task. So the count is accessed at most once per batch, mostly less often, and it
// is 0 only when all tasks are done. A worker that reads 0 ends.
//
// The operations on the count can be relaxed. A pop acquires what the push of its task released, including the
// addition. So the operations on the count are ordered as the tasks for which they stand.
#pragma once

#include <cstdint>

#include "evenly/block/backoff.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::detail {

/// Returns the default number of tasks of a queue for all workers.
template <class T> constexpr std::int64_t tuned_queue_capacity(bool on_host) {
  return tasks::tasks_in<T>(on_host ? 2 << 20 : 64 << 20);
}

/// The result of a pop that has to be tried again.
inline constexpr int contended = -1;

template <class Queue> struct queue_view {
  static constexpr bool keeps_tasks = false;
  static constexpr bool has_shares = Queue::has_shares;
  struct slots {};
  EVENLY_FN static slots lay_out(storage_layout&, int) { return {}; }

  Queue queue;

  template <class Worker> class exchange {
   public:
    EVENLY_INLINE_FN exchange(const queue_view& pool, Worker& worker, const slots&)
        : me_(worker), queue_(pool.queue, worker) {}

    template <class Stack> EVENLY_INLINE_FN bool obtain(Stack& stack) {
      if (!stack.empty()) return true; // tasks for which the queue had no room
      std::int64_t since = 0;
      for (growing_backoff pause = first_pause();; pause.wait(me_.block)) {
        const int got = look(stack);
        if (got > 0) {
          tokens_ += got;
          if (since != 0) me_.note_idle(since);
          return true;
        }
        ++me_.failed;
        if (since == 0) since = task_clock();
        if (is_over()) {
          me_.note_idle(since);
          return false;
        }
        if (me_.leads()) me_.note_spin();
      }
    }

    template <class Stack> EVENLY_INLINE_FN void offer(Stack& stack, unsigned = 0) {
      if (stack.empty()) return;
      if (tokens_ < stack.size()) take_tokens(stack.size() - tokens_ + spare_tokens);
      const int given = queue_.push(stack.size(), [&](int i) { return stack.oldest(i); });
      tokens_ -= given;
      stack.drop_oldest(given);
      me_.warp.sync(); // the places may be written again
      if (stack.empty()) stack.hold(0);
    }
    template <class Stack> EVENLY_INLINE_FN void relieve(Stack& stack, int) {
      offer(stack);
      stack.compact(me_.warp);
    }
    EVENLY_INLINE_FN void leave() {}
    EVENLY_INLINE_FN bool next_round() { return false; }

   private:
    EVENLY_INLINE_FN static growing_backoff first_pause() {
      if constexpr (requires { Queue::polls_without_pause; })
        return growing_backoff(0, 0);
      else
        return growing_backoff();
    }
    /// Tokens that a worker takes in addition to those that it needs, to access the count less often.
    static constexpr int spare_tokens = 64;

    template <class Stack> EVENLY_INLINE_FN int look(Stack& stack) {
      if (const int initial = me_.take_initial(stack); initial > 0) return initial;
      const int got = queue_.pop(me_.width, [&](int i, const auto& task) { stack.store(i, task); });
      if (got <= 0) return got;
      stack.hold(got);
      me_.taken += got;
      me_.warp.sync();
      return got;
    }
    EVENLY_INLINE_FN void take_tokens(std::int64_t count) {
      if (me_.leads()) atomic_ref(me_.run.control->tokens.value).fetch_add(count, order::relaxed{});
      tokens_ += count;
      me_.warp.sync(); // before the lanes publish the tasks
    }
    EVENLY_INLINE_FN bool is_over() {
      int over = 0;
      if (me_.leads()) {
        const atomic_ref tokens(me_.run.control->tokens.value);
        if (tokens_ > 0) tokens.fetch_sub(tokens_, order::relaxed{});
        over = me_.run.count + tokens.load(order::relaxed{}) == 0;
      }
      tokens_ = 0;
      return me_.broadcast(over) != 0 || me_.stopped();
    }

    Worker& me_;
    typename Queue::template handle<Worker> queue_;
    std::int64_t tokens_ = 0; ///< held by the worker
  };
};

} // namespace evenly::detail
