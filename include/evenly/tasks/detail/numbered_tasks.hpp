// SPDX-License-Identifier: Apache-2.0
// A pool whose tasks are in an array, and whose queues hold their numbers. A push takes a free number, writes the task,
// and inserts the number into the queue of full places. A pop extracts a number there, reads the task, and inserts the
// number into the queue of free places. Numbers that have never been used come from a counter instead.
//
// The pool is full if no number is free, even if a pop that has not returned still holds one.
#pragma once

#include <cstdint>
#include <string>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::detail {

/// The queue of a pool (queue_exchange.hpp). `Numbers` has take(memory, shape), and for all lanes of a worker:
///   insert(me, has, number)     inserts the number of each lane with `has`; there is room for all numbers
///   extract(me, max, number)    removes up to `max` numbers, at most one per lane; returns the lanes that have one, or
///                               none if the queue was empty at some moment of the call
template <class T, class Numbers> struct numbered_tasks {
  static constexpr bool has_shares = false;

  Numbers full;
  Numbers free;
  task_word* fresh; ///< numbers from here on have never been used
  T* tasks;
  std::int64_t capacity;

  /// `numbers`: an empty queue without memory. Throws invalid_argument if the capacity is 2^31 or more.
  static numbered_tasks make(tasks::pool_memory& memory, const tasks::pool_shape& shape, const char* pool,
                             const Numbers& numbers) {
    require(shape.capacity < std::int64_t{1} << 31, [&] {
      return "capacity = " + std::to_string(shape.capacity) + ": a " + pool +
             " numbers its tasks with 31 bits";
    });
    numbered_tasks made{numbers, numbers, nullptr, nullptr, shape.capacity};
    made.full.take(memory, shape);
    made.free.take(memory, shape);
    made.fresh = memory.take_zeroed<task_word>(1);
    made.tasks = memory.take<T>(shape.capacity);
    return made;
  }

  template <class Worker> class handle {
   public:
    EVENLY_INLINE_FN handle(const numbered_tasks& queue, const Worker& worker) : queue_(queue), me_(worker) {}

    template <class Get> EVENLY_INLINE_FN int push(int count, Get get) {
      const auto all = traced(me_.block, queue_.tasks);
      int done = 0;
      while (done < count) {
        std::uint32_t number = 0;
        const lane_mask with = take_numbers(smaller(count - done, me_.warp.size()), number);
        if (with == 0) break;
        const bool has = (with >> me_.warp.rank() & 1) != 0;
        if (has) all[number] = get(done + lanes_in(with & first_lanes(me_.warp.rank())));
        queue_.full.insert(me_, has, number);
        done += lanes_in(with);
      }
      return done;
    }

    template <class Put> EVENLY_INLINE_FN int pop(int max, Put put) {
      const auto all = traced(me_.block, queue_.tasks);
      std::uint32_t number = 0;
      const lane_mask with = queue_.full.extract(me_, max, number);
      if (with == 0) return 0;
      const bool has = (with >> me_.warp.rank() & 1) != 0;
      if (has) {
        const T task = all[number];
        put(lanes_in(with & first_lanes(me_.warp.rank())), task);
      }
      queue_.free.insert(me_, has, number);
      return lanes_in(with);
    }

   private:
    /// Takes free numbers for up to `max` lanes, unused ones first. Returns the lanes that have one.
    EVENLY_INLINE_FN lane_mask take_numbers(int max, std::uint32_t& number) const {
      std::int64_t first = 0;
      if (me_.leads()) {
        const atomic_ref unused(queue_.fresh->value);
        first = unused.load(order::relaxed{});
        if (first < queue_.capacity) first = unused.fetch_add(max, order::relaxed{});
      }
      first = me_.broadcast(first);
      if (first >= queue_.capacity) return queue_.free.extract(me_, max, number);
      number = static_cast<std::uint32_t>(first + me_.warp.rank());
      return first_lanes(static_cast<int>(smaller<std::int64_t>(max, queue_.capacity - first)));
    }

    const numbered_tasks& queue_;
    const Worker& me_;
  };
};

} // namespace evenly::detail
