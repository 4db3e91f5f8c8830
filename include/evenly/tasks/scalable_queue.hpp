// SPDX-License-Identifier: Apache-2.0
// scalable_queue: a lock-free ring of numbers, with tickets from fetch_add (SCQ, the scalable circular queue: Nikolaev,
// "A Scalable, Portable, and Memory-Efficient Lock-Free FIFO Queue", DISC 2019).
//
// The tasks are in an array, and two rings hold the numbers of full and of free places (detail/numbered_tasks.hpp). A
// ring has at least twice as many slots as there are numbers. Ticket t belongs to slot t mod 2^shift, in cycle t div
// 2^shift + 1. A slot is one 64-bit word: the cycle of its last use, a mark `unsafe`, and a number or none.
//
// * Insertion: a warp takes a ticket for each of its numbers by one fetch_add on the tail. Each lane puts its number
//   into its slot by compare-and-swap, if the slot is empty and of an earlier cycle. Otherwise it takes another ticket.
// * Extraction: a warp takes tickets by one fetch_add on the head. A lane that finds a number of its cycle clears the
//   slot. If its insertion is under way, it polls for a limited time. Then it moves the slot to its own cycle, so that
//   the late insertion fails, and takes another ticket.
// * A slot may hold a number of an earlier cycle, whose extraction is stalled. An extraction that passes it marks it
//   unsafe. An insertion uses an unsafe slot only if no extraction has its ticket yet.
// * Empty: a pop finds the queue empty if the head has reached the tail. It reads the head first, so this holds when it
//   reads the tail. A threshold bounds failing extractions: each insertion sets it to the number of slots and lanes,
//   each extraction that fails decrements it. At 0 the ring is empty. So extractions cannot defeat insertions forever.
// * Shares: a pop takes at most 4 n / w tickets, where n is the number of tasks in the queue and w that of workers. So
//   waiting workers do not take many tickets without a task when one appears, and few tasks spread over all workers.
//
// Memory orders: an insertion's compare-and-swap releases the task, and the load of the slot acquires it. Marking a
// slot releases the ticket, so that an insertion that sees the mark sees the head behind it. The clearing of a slot may
// be relaxed: as a read-modify-write it continues the release sequence of a mark. The threshold is released after the
// numbers are in. Head and tail are relaxed, except that a pop acquires the head before it reads the tail.
//
// First in, first out. Lock-free. In the absence of conflicts, a push and a pop of a task cost two read-modify-writes
// of slots each; a warp adds two for tickets.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "evenly/block/backoff.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/numbered_tasks.hpp"
#include "evenly/tasks/detail/queue_exchange.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::detail {

/// A ring of numbers below 2^31 - 1, with room for all numbers.
struct number_ring {
  static constexpr int polls = 32; ///< of a slot whose insertion is under way

  task_word* head;        ///< the next ticket of an extraction
  task_word* tail;        ///< the next ticket of an insertion
  task_word* threshold;   ///< extractions that may fail until the ring is known to be empty
  std::uint64_t* slots;   ///< cycle << 32 | unsafe << 31 | number + 1, or 0 for none
  int shift;              ///< there are 2^shift slots
  std::int64_t max_fails; ///< of extractions after an insertion
  int shares;             ///< an extraction takes at most this many shares of a worker; 0: no limit

  void take(tasks::pool_memory& memory, const tasks::pool_shape& shape) {
    shift = static_cast<int>(
                std::bit_width(static_cast<std::uint64_t>(larger<std::int64_t>(shape.capacity, 1)) - 1)) +
            1;
    max_fails = (std::int64_t{1} << shift) + shape.workers() * shape.lanes;
    head = memory.take_zeroed<task_word>(1);
    tail = memory.take_zeroed<task_word>(1);
    threshold = memory.take_zeroed<task_word>(1);
    slots = memory.take_zeroed<std::uint64_t>(std::int64_t{1} << shift);
  }

  static constexpr std::uint64_t unsafe = std::uint64_t{1} << 31;
  static constexpr std::uint64_t number_mask = unsafe - 1;

  EVENLY_INLINE_FN std::uint64_t& slot_of(std::uint64_t ticket) const {
    return slots[ticket & ((std::uint64_t{1} << shift) - 1)];
  }
  EVENLY_INLINE_FN std::uint32_t cycle_of(std::uint64_t ticket) const {
    return static_cast<std::uint32_t>(ticket >> shift) + 1;
  }
  EVENLY_INLINE_FN static std::uint64_t word(std::uint32_t cycle, std::uint64_t number_and_one) {
    return static_cast<std::uint64_t>(cycle) << 32 | number_and_one;
  }
  /// Returns how many cycles the slot is ahead of the ticket.
  EVENLY_INLINE_FN std::int32_t ahead(std::uint64_t seen, std::uint64_t ticket) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(seen >> 32) - cycle_of(ticket));
  }
  EVENLY_INLINE_FN static bool is_issued(const task_word& end, std::uint64_t ticket) {
    const std::int64_t next = atomic_ref(const_cast<task_word&>(end).value).load(order::relaxed{});
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(next) - ticket) > 0;
  }

  /// Inserts the number of each lane with `has`. Requires room for all of them. Called by all lanes.
  template <class Worker>
  EVENLY_INLINE_FN void insert(const Worker& me, bool has, std::uint32_t number) const {
    for (lane_mask having = me.warp.ballot(has); having != 0; having = me.warp.ballot(has)) {
      std::int64_t first = 0;
      if (me.leads()) first = atomic_ref(tail->value).fetch_add(lanes_in(having), order::relaxed{});
      const auto ticket = static_cast<std::uint64_t>(me.broadcast(first)) +
                          static_cast<std::uint64_t>(lanes_in(having & first_lanes(me.warp.rank())));
      if (has) has = !put(me, ticket, number);
    }
    me.warp.sync(); // the first lane releases for all
    if (me.leads()) atomic_ref(threshold->value).store(max_fails, order::release{});
  }

  /// Removes up to `max` numbers. Returns the lanes that have one. Called by all lanes.
  template <class Worker>
  EVENLY_INLINE_FN lane_mask extract(const Worker& me, int max, std::uint32_t& number) const {
    for (;;) {
      tickets mine;
      if (me.leads()) mine = claim(max, me.count());
      mine = me.broadcast(mine);
      if (mine.count == 0) return 0;
      me.warp.sync(); // lanes that mark slots release the first lane's ticket
      bool done = false;
      if (me.warp.rank() < mine.count)
        done = get(me, mine.first + static_cast<std::uint64_t>(me.warp.rank()), number);
      const lane_mask got = me.warp.ballot(done);
      const int failed = mine.count - lanes_in(got);
      if (failed > 0 && me.leads()) atomic_ref(threshold->value).fetch_sub(failed, order::acq_rel{});
      if (got != 0) return got;
    }
  }

 private:
  struct tickets {
    std::uint64_t first = 0;
    int count = 0;
  };
  /// Takes tickets for up to `max` numbers; none if the ring is empty. Called by the first lane.
  EVENLY_INLINE_FN tickets claim(int max, int workers) const {
    const std::int64_t left = atomic_ref(threshold->value).load(order::relaxed{});
    const atomic_ref next(head->value);
    const std::int64_t begin = next.load(order::acquire{});
    const std::int64_t end = atomic_ref(tail->value).load(order::relaxed{});
    if (left <= 0 || end <= begin) {
      if (end < begin)
        atomic_ref(tail->value).fetch_max(begin, order::relaxed{}); // these tickets are useless
      return {};
    }
    std::int64_t limit = smaller<std::int64_t>(end - begin, max);
    if (shares > 0) limit = smaller(limit, ceil_div<std::int64_t>(shares * (end - begin), workers));
    const int count = static_cast<int>(limit);
    return {static_cast<std::uint64_t>(next.fetch_add(count, order::relaxed{})), count};
  }

  /// Puts a number into the slot of a ticket. Returns false if the slot is not empty, or if the extraction with this
  /// ticket may have passed.
  template <class Worker>
  EVENLY_INLINE_FN bool put(const Worker& me, std::uint64_t ticket, std::uint32_t number) const {
    const atomic_ref slot(slot_of(ticket));
    const std::uint64_t mine = word(cycle_of(ticket), std::uint64_t{number} + 1);
    for (std::uint64_t seen = slot.load(order::relaxed{});;) {
      if ((seen & number_mask) != 0 || ahead(seen, ticket) >= 0) return false;
      if ((seen & unsafe) != 0) {
        const std::uint64_t marked = slot.load(order::acquire{});
        if (std::exchange(seen, marked) != marked) continue;
        if (is_issued(*head, ticket)) return false;
      }
      if (slot.compare_exchange(seen, mine, order::release{})) return true;
      me.note_failed_cas();
    }
  }

  /// Removes the number in the slot of a ticket. Returns false if there is none; then there will be none.
  template <class Worker>
  EVENLY_INLINE_FN bool get(const Worker& me, std::uint64_t ticket, std::uint32_t& number) const {
    const atomic_ref slot(slot_of(ticket));
    std::uint64_t seen = slot.load(order::acquire{});
    int left = polls;
    for (growing_backoff pause;;) {
      const std::int32_t cycles = ahead(seen, ticket);
      if (cycles == 0 && (seen & number_mask) != 0) {
        number = static_cast<std::uint32_t>(seen & number_mask) - 1;
        slot.fetch_and(~number_mask, order::relaxed{});
        return true;
      }
      if (cycles >= 0) return false;
      if (--left >= 0 && is_issued(*tail, ticket)) {
        me.note_spin();
        pause.wait(me.block);
        seen = slot.load(order::acquire{});
        continue;
      }
      const std::uint64_t after =
          (seen & number_mask) != 0 ? seen | unsafe : word(cycle_of(ticket), seen & unsafe);
      if (slot.compare_exchange(seen, after, order::acq_rel{})) return false;
      me.note_failed_cas();
    }
  }
};

} // namespace evenly::detail

namespace evenly::tasks {

/// The scalable circular queue. See the head of this file.
struct scalable_queue {
  static constexpr task_order order = task_order::fifo;
  static constexpr task_progress progress = task_progress::lock_free;
  static constexpr bool linearizable = true;

  template <class T> using view = detail::queue_view<detail::numbered_tasks<T, detail::number_ring>>;

  /// The rings have 32 to 64 bytes per task.
  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t) {
    return (on_host ? 8 << 20 : 64 << 20) / static_cast<std::int64_t>(sizeof(T) + 32);
  }

  /// Throws invalid_argument if the capacity is 2^31 or more.
  template <class T> view<T> make(pool_memory& memory, const pool_shape& shape) const {
    view<T> made{detail::numbered_tasks<T, detail::number_ring>::make(memory, shape, "scalable_queue", {})};
    made.queue.full.shares = 4;
    return made;
  }
};

static_assert(task_pool<scalable_queue>);

} // namespace evenly::tasks

namespace evenly {

using tasks::scalable_queue;

} // namespace evenly
