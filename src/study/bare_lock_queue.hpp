// SPDX-License-Identifier: Apache-2.0
// bare_lock_queue: algorithm 2 of Cederman & Tsigas (2008) as printed, for comparison with blocking_queue. A worker
// repeats the compare-and-swap of the lock without a pause, and moves one task each time that it has the lock. It also
// takes the lock to find that the queue is empty.
//
// Two points differ from the text, in which memory is never reused and the lock is freed by a plain store: the array is
// a ring with a capacity, and the store releases.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/queue_exchange.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::study {

template <class T> struct bare_locked_ring {
  static constexpr bool has_shares = false;
  static constexpr bool polls_without_pause = true;

  detail::task_word* lock; ///< 0: free
  detail::task_word* begin;
  detail::task_word* end;
  T* tasks;
  std::int64_t capacity;

  template <class Worker> class handle {
   public:
    EVENLY_INLINE_FN handle(const bare_locked_ring& ring, const Worker& worker) : ring_(ring), me_(worker) {}

    template <class Get> EVENLY_INLINE_FN int push(int count, Get get) {
      int done = 0;
      if (me_.leads())
        for (bool has_room = true; has_room && done < count; done += has_room ? 1 : 0) {
          take_lock();
          const std::int64_t at = value(ring_.end);
          has_room = at - value(ring_.begin) < ring_.capacity;
          if (has_room) {
            traced(me_.block, ring_.tasks)[at % ring_.capacity] = get(done);
            set(ring_.end, at + 1);
          }
          free_lock();
        }
      return me_.broadcast(done);
    }
    template <class Put> EVENLY_INLINE_FN int pop(int, Put put) {
      int got = 0;
      if (me_.leads()) {
        take_lock();
        const std::int64_t at = value(ring_.begin);
        got = at != value(ring_.end) ? 1 : 0;
        if (got != 0) {
          const T task = traced(me_.block, ring_.tasks)[at % ring_.capacity];
          put(0, task);
          set(ring_.begin, at + 1);
        }
        free_lock();
      }
      return me_.broadcast(got);
    }

   private:
    EVENLY_INLINE_FN static std::int64_t value(detail::task_word* word) {
      return atomic_ref(word->value).load(order::relaxed{});
    }
    EVENLY_INLINE_FN static void set(detail::task_word* word, std::int64_t value) {
      atomic_ref(word->value).store(value, order::relaxed{});
    }
    EVENLY_INLINE_FN void take_lock() const {
      for (;; me_.block.backoff(0)) {
        std::int64_t free = 0;
        if (atomic_ref(ring_.lock->value).compare_exchange(free, 1, order::acquire{})) return;
        me_.note_failed_cas();
        me_.note_spin();
      }
    }
    EVENLY_INLINE_FN void free_lock() const { atomic_ref(ring_.lock->value).store(0, order::release{}); }

    const bare_locked_ring& ring_;
    const Worker& me_;
  };
};

/// The pool. See the head of this file.
struct bare_lock_queue {
  static constexpr tasks::task_order order = tasks::task_order::fifo;
  static constexpr tasks::task_progress progress = tasks::task_progress::blocking;
  static constexpr bool linearizable = true;

  template <class T> using view = detail::queue_view<bare_locked_ring<T>>;

  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t) {
    return detail::tuned_queue_capacity<T>(on_host);
  }

  template <class T> view<T> make(tasks::pool_memory& memory, const tasks::pool_shape& shape) const {
    view<T> made{};
    made.queue = {memory.take_zeroed<detail::task_word>(1), memory.take_zeroed<detail::task_word>(1),
                  memory.take_zeroed<detail::task_word>(1), memory.take<T>(shape.capacity), shape.capacity};
    return made;
  }
};

static_assert(tasks::task_pool<bare_lock_queue>);

} // namespace evenly::study
