// SPDX-License-Identifier: Apache-2.0
// ticket_ring: one ring for all workers. Batches are reserved by fetch_add, and slots are guarded by tickets.
//
// A push of n tasks reserves n positions by one fetch_add on the tail, a pop of n by one on the head. The ticket of a
// slot names the position for which the slot is free, or full. The holder of a position waits for its ticket, briefly,
// until the previous holder of the slot is done (Vyukov's bounded queue, with batches). A separate count holds the
// number of tasks that may be popped. A push adds to it when its tasks are in. A pop first subtracts from it, and
// returns any excess. So every popped position is filled.
//
// Full and empty are exact, even if other operations overshoot. Both follow from reading head and tail. A push reads
// the tail first, then the head, so at the second read there were at least as many tasks as their difference. A pop
// reads them in the reverse order. A count of 0 with tasks between head and tail is `contended`.
//
// A push reads before its fetch_add. So concurrent pushes may exceed the capacity, by at most a batch per worker, for
// which there are slots. A position is never returned.
//
// First in, first out. Blocking: a pop waits for a push that stalls with its position, and a push for a pop. Each
// operation of a warp costs two atomic operations in addition to those on tickets: one on a line that all operations of
// its kind share, and one on a line that all operations share.
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

/// Positions have 64 bits. Position p is in slot p mod 2^shift, in lap p div 2^shift.
template <class T> struct ring_queue {
  static constexpr bool has_shares = false;

  /// The maximum number of tasks in a batch.
  static constexpr int batch = 128;

  task_word* head;        ///< the next position to pop
  task_word* tail;        ///< the next position to push
  task_word* in;          ///< tasks that are in and not yet claimed by a pop
  std::uint64_t* tickets; ///< of a slot: 2 lap while it is free for that lap, 2 lap + 1 while it is full
  T* slots;
  std::int64_t capacity;
  int shift;

  EVENLY_FN std::int64_t slot_of(std::uint64_t position) const {
    return static_cast<std::int64_t>(position & ((std::uint64_t{1} << shift) - 1));
  }

  /// Returns the binary logarithm of the number of slots for these tasks and workers.
  static int shift_for(std::int64_t capacity, std::int64_t workers) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(capacity + workers * batch - 1)));
  }

  template <class Worker> class handle {
   public:
    EVENLY_INLINE_FN handle(const ring_queue& ring, const Worker& worker) : ring_(ring), me_(worker) {}

    template <class Get> EVENLY_INLINE_FN int push(int count, Get get) {
      int done = 0;
      for (int taken = batch; done < count && taken == batch; done += taken)
        taken = push_batch(smaller(count - done, batch), [&](int i) { return get(done + i); });
      return done;
    }

    template <class Put> EVENLY_INLINE_FN int pop(int max, Put put) {
      struct {
        std::uint64_t first = 0;
        int count = 0;
      } mine;
      if (me_.leads()) {
        mine.count = claim(max);
        if (mine.count > 0)
          mine.first = static_cast<std::uint64_t>(
              atomic_ref(ring_.head->value).fetch_add(mine.count, order::relaxed{}));
      }
      mine = me_.broadcast(mine);
      const auto all = traced(me_.block, ring_.slots);
      for (int i = me_.warp.rank(); i < mine.count; i += me_.warp.size()) {
        const std::uint64_t position = mine.first + static_cast<std::uint64_t>(i),
                            lap = position >> ring_.shift;
        const std::int64_t slot = ring_.slot_of(position);
        await(slot, 2 * lap + 1);
        const T task = all[slot];
        put(i, task);
        atomic_ref(ring_.tickets[slot]).store(2 * lap + 2, order::release{});
      }
      return mine.count;
    }

   private:
    template <class Get> EVENLY_INLINE_FN int push_batch(int count, Get get) {
      struct {
        std::uint64_t first = 0;
        int count = 0;
      } mine;
      if (me_.leads()) {
        const atomic_ref last(ring_.tail->value);
        const std::int64_t end = last.load(order::acquire{});
        const std::int64_t begin = atomic_ref(ring_.head->value).load(order::relaxed{});
        mine.count = static_cast<int>(
            larger<std::int64_t>(smaller<std::int64_t>(count, ring_.capacity - (end - begin)), 0));
        if (mine.count > 0)
          mine.first = static_cast<std::uint64_t>(last.fetch_add(mine.count, order::relaxed{}));
      }
      mine = me_.broadcast(mine);
      if (mine.count == 0) return 0;
      const auto all = traced(me_.block, ring_.slots);
      for (int i = me_.warp.rank(); i < mine.count; i += me_.warp.size()) {
        const std::uint64_t position = mine.first + static_cast<std::uint64_t>(i),
                            lap = position >> ring_.shift;
        const std::int64_t slot = ring_.slot_of(position);
        await(slot, 2 * lap);
        all[slot] = get(i);
        atomic_ref(ring_.tickets[slot]).store(2 * lap + 1, order::release{});
      }
      me_.warp.sync();
      if (me_.leads()) atomic_ref(ring_.in->value).fetch_add(mine.count, order::release{});
      return mine.count;
    }

    /// Claims up to `max` tasks; returns their number, or `contended`. Called by the first lane.
    EVENLY_INLINE_FN int claim(int max) const {
      const atomic_ref waiting(ring_.in->value);
      if (waiting.load(order::relaxed{}) > 0) {
        const std::int64_t before = waiting.fetch_sub(max, order::acquire{});
        const int mine = static_cast<int>(larger<std::int64_t>(smaller<std::int64_t>(before, max), 0));
        if (mine < max) waiting.fetch_add(max - mine, order::relaxed{});
        if (mine > 0) return mine;
      }
      const std::int64_t begin = atomic_ref(ring_.head->value).load(order::acquire{});
      const std::int64_t end = atomic_ref(ring_.tail->value).load(order::relaxed{});
      return end <= begin ? 0 : contended;
    }

    EVENLY_INLINE_FN void await(std::int64_t slot, std::uint64_t ticket) const {
      const atomic_ref seen(ring_.tickets[slot]);
      for (growing_backoff pause; seen.load(order::acquire{}) != ticket; pause.wait(me_.block))
        me_.note_spin();
    }

    const ring_queue& ring_;
    const Worker& me_;
  };
};

} // namespace evenly::detail

namespace evenly::tasks {

/// The ring with tickets. See the head of this file.
struct ticket_ring {
  static constexpr task_order order = task_order::fifo;
  static constexpr task_progress progress = task_progress::blocking;
  static constexpr bool linearizable = true;

  template <class T> using view = detail::queue_view<detail::ring_queue<T>>;

  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t) {
    return detail::tuned_queue_capacity<T>(on_host);
  }

  template <class T> view<T> make(pool_memory& memory, const pool_shape& shape) const {
    view<T> made{};
    detail::ring_queue<T>& ring = made.queue;
    ring.head = memory.take_zeroed<detail::task_word>(1);
    ring.tail = memory.take_zeroed<detail::task_word>(1);
    ring.in = memory.take_zeroed<detail::task_word>(1);
    ring.capacity = shape.capacity;
    ring.shift = ring.shift_for(shape.capacity, shape.workers());
    ring.tickets = memory.take_zeroed<std::uint64_t>(std::int64_t{1} << ring.shift);
    ring.slots = memory.take<T>(std::int64_t{1} << ring.shift);
    return made;
  }
};

static_assert(task_pool<ticket_ring>);

} // namespace evenly::tasks

namespace evenly {

using tasks::ticket_ring;

} // namespace evenly
