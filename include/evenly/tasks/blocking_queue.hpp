// SPDX-License-Identifier: Apache-2.0
// blocking_queue: a ring behind a lock (Cederman & Tsigas 2008, section 4.2).
//
// One lane of a worker takes the lock by a compare-and-swap that acquires, and returns it by a store that releases. It
// polls the lock by loads before the compare-and-swap; after each failure it waits twice as long. Under the lock all
// lanes copy up to 128 tasks. Whether there is a task to pop is checked without the lock: the head first, then the
// tail, which was not less when the head was read.
//
// First in, first out. Blocking: a worker that stalls with the lock blocks all others. Use it for comparison only: all
// operations of a launch are serialised.
#pragma once

#include <bit>
#include <cstdint>

#include "evenly/block/backoff.hpp"
#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/queue_exchange.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::detail {

/// Positions have 64 bits. Position p is in slot p mod 2^shift. Head and tail are written under the lock.
template <class T> struct locked_queue {
  static constexpr bool has_shares = false;

  task_word* lock; ///< 0: free
  task_word* head; ///< the next position to pop
  task_word* tail; ///< the next position to push
  T* slots;
  std::int64_t capacity;
  int shift;

  EVENLY_FN std::int64_t slot_of(std::int64_t position) const {
    return position & ((std::int64_t{1} << shift) - 1);
  }

  template <class Worker> class handle {
   public:
    EVENLY_INLINE_FN handle(const locked_queue& queue, const Worker& worker) : queue_(queue), me_(worker) {}

    template <class Get> EVENLY_INLINE_FN int push(int count, Get get) {
      const range mine = enter([&](const ends& now) {
        return range{now.tail,
                     static_cast<int>(smaller<std::int64_t>(count, queue_.capacity - (now.tail - now.head)))};
      });
      const auto ring = traced(me_.block, queue_.slots);
      for (int i = me_.warp.rank(); i < mine.count; i += me_.warp.size())
        ring[queue_.slot_of(mine.first + i)] = get(i);
      leave(*queue_.tail, mine);
      return mine.count;
    }

    template <class Put> EVENLY_INLINE_FN int pop(int max, Put put) {
      if (looks_empty()) return 0;
      const range mine = enter([&](const ends& now) {
        return range{now.head, static_cast<int>(smaller<std::int64_t>(max, now.tail - now.head))};
      });
      const auto ring = traced(me_.block, queue_.slots);
      for (int i = me_.warp.rank(); i < mine.count; i += me_.warp.size()) {
        const T task = ring[queue_.slot_of(mine.first + i)];
        put(i, task);
      }
      leave(*queue_.head, mine);
      return mine.count;
    }

   private:
    struct ends {
      std::int64_t head;
      std::int64_t tail;
    };
    struct range {
      std::int64_t first = 0;
      int count = 0;
    };

    EVENLY_INLINE_FN bool looks_empty() const {
      int empty = 0;
      if (me_.leads()) {
        const std::int64_t begin = atomic_ref(queue_.head->value).load(order::acquire{});
        empty = atomic_ref(queue_.tail->value).load(order::relaxed{}) <= begin;
      }
      return me_.broadcast(empty) != 0;
    }
    /// Takes the lock for all lanes. Returns to all of them the range that `choose` makes of head and tail.
    template <class Choose> EVENLY_INLINE_FN range enter(Choose choose) const {
      range mine;
      if (me_.leads()) {
        const atomic_ref gate(queue_.lock->value);
        for (growing_backoff pause;; pause.wait(me_.block)) {
          std::int64_t free = 0;
          if (gate.load(order::relaxed{}) == 0) {
            if (gate.compare_exchange(free, 1, order::acquire{})) break;
            me_.note_failed_cas();
          }
          me_.note_spin();
        }
        mine = choose(ends{atomic_ref(queue_.head->value).load(order::relaxed{}),
                           atomic_ref(queue_.tail->value).load(order::relaxed{})});
      }
      me_.warp.sync(); // the first lane has acquired for all
      return me_.broadcast(mine);
    }
    EVENLY_INLINE_FN void leave(task_word& end, const range& done) const {
      me_.warp.sync(); // the first lane releases for all
      if (!me_.leads()) return;
      atomic_ref(end.value).store(done.first + done.count, order::relaxed{});
      atomic_ref(queue_.lock->value).store(0, order::release{});
    }

    const locked_queue& queue_;
    const Worker& me_;
  };
};

} // namespace evenly::detail

namespace evenly::tasks {

/// The queue behind a lock. See the head of this file.
struct blocking_queue {
  static constexpr task_order order = task_order::fifo;
  static constexpr task_progress progress = task_progress::blocking;
  static constexpr bool linearizable = true;

  template <class T> using view = detail::queue_view<detail::locked_queue<T>>;

  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t) {
    return detail::tuned_queue_capacity<T>(on_host);
  }

  template <class T> view<T> make(pool_memory& memory, const pool_shape& shape) const {
    view<T> made{};
    detail::locked_queue<T>& queue = made.queue;
    queue.lock = memory.take_zeroed<detail::task_word>(1);
    queue.head = memory.take_zeroed<detail::task_word>(1);
    queue.tail = memory.take_zeroed<detail::task_word>(1);
    queue.capacity = shape.capacity;
    queue.shift = static_cast<int>(
        std::bit_width(static_cast<std::uint64_t>(larger<std::int64_t>(shape.capacity, 1)) - 1));
    queue.slots = memory.take<T>(std::int64_t{1} << queue.shift);
    return made;
  }
};

static_assert(task_pool<blocking_queue>);

} // namespace evenly::tasks

namespace evenly {

using tasks::blocking_queue;

} // namespace evenly
