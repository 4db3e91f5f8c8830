// SPDX-License-Identifier: Apache-2.0
// lock_free_queue: slots that are filled and emptied by compare-and-swap, with a head and a tail that may lag behind
// (Tsigas & Zhang, SPAA 2001; Cederman & Tsigas 2008, section 4.3).
//
// A slot is one 64-bit word: an epoch, which is the lap of its position, and the number of a task, or none. A push
// finds the first position with an empty slot of its lap, and swaps its number in. A pop finds the first full slot, and
// swaps in an empty slot of the next epoch. So no task is put behind a lagging tail, where pops would not find it, and
// no word repeats (for 2^32 laps). All lanes read consecutive slots together, and each takes one. Head and tail are
// only the positions where the search begins. They advance at every x-th position, up to a point where all lanes found
// nothing left to do.
//
// The tasks are in an array, and a second queue of the same type holds the free numbers (detail/numbered_tasks.hpp).
//
// * Empty: a pop reports an empty queue if the first slot without a later epoch is empty, and it has read a later epoch
//   in all slots before. This is correct, since a push tries all slots before the slot that it fills.
// * Full: a push reports a full queue if no number is free, even if a pop that has not returned still holds one.
//
// First in, first out, lock-free. Each task costs two successful compare-and-swaps for the push and two for the pop.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/numbered_tasks.hpp"
#include "evenly/tasks/detail/queue_exchange.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::detail {

/// A queue of numbers below 2^32 - 1, with room for all numbers.
struct number_queue {
  task_word* head;
  task_word* tail;
  std::uint64_t* slots; ///< epoch << 32 | number + 1, or 0 for none
  int shift;            ///< there are 2^shift slots
  int lazy;             ///< head and tail advance at every position that is a multiple of it

  void take(tasks::pool_memory& memory, const tasks::pool_shape& shape) {
    shift = static_cast<int>(
        std::bit_width(static_cast<std::uint64_t>(larger<std::int64_t>(shape.capacity, 1)) - 1));
    head = memory.take_zeroed<task_word>(1);
    tail = memory.take_zeroed<task_word>(1);
    slots = memory.take_zeroed<std::uint64_t>(std::int64_t{1} << shift);
  }

  struct state {
    std::uint64_t word;
    bool is_later; ///< of a later epoch than the position, so it has been filled and emptied
    bool is_full;  ///< in the position's epoch
    bool is_empty; ///< in the position's epoch
  };
  EVENLY_INLINE_FN std::uint64_t& slot_of(std::uint64_t position) const {
    return slots[position & ((std::uint64_t{1} << shift) - 1)];
  }
  EVENLY_INLINE_FN std::uint32_t epoch_of(std::uint64_t position) const {
    return static_cast<std::uint32_t>(position >> shift);
  }
  EVENLY_INLINE_FN state look(std::uint64_t position) const {
    const std::uint64_t word = atomic_ref(slot_of(position)).load(order::acquire{});
    const auto ahead = static_cast<std::int32_t>(static_cast<std::uint32_t>(word >> 32) - epoch_of(position));
    const bool has = static_cast<std::uint32_t>(word) != 0;
    return {word, ahead > 0, ahead == 0 && has, ahead == 0 && !has};
  }
  EVENLY_INLINE_FN bool swap(std::uint64_t position, std::uint64_t before, std::uint64_t after) const {
    return atomic_ref(slot_of(position)).compare_exchange(before, after, order::acq_rel{});
  }
  EVENLY_INLINE_FN static std::uint64_t word(std::uint32_t epoch, std::uint32_t number_and_one) {
    return static_cast<std::uint64_t>(epoch) << 32 | number_and_one;
  }
  template <class Worker>
  EVENLY_INLINE_FN static std::uint64_t where_to_begin(const Worker& me, const task_word& end) {
    std::int64_t begin = 0;
    if (me.leads()) begin = atomic_ref(const_cast<task_word&>(end).value).load(order::relaxed{});
    return static_cast<std::uint64_t>(me.broadcast(begin));
  }
  /// Advances `end` to `to` if a lane is at a position that is a multiple of `lazy`. Later searches begin there.
  template <class Worker>
  EVENLY_INLINE_FN void move_on(const Worker& me, task_word& end, std::uint64_t to, bool done,
                                std::uint64_t position) const {
    const bool moves = me.warp.any(done && position % static_cast<std::uint64_t>(lazy) == 0);
    if (moves && me.leads()) atomic_ref(end.value).fetch_max(static_cast<std::int64_t>(to), order::relaxed{});
  }

  /// Returns whether the slot of `lane` is still empty, now that all slots before it were read as emptied. Lanes read
  /// one after the other.
  template <class Worker>
  EVENLY_INLINE_FN bool is_still_empty(const Worker& me, std::uint64_t position, int lane) const {
    me.warp.sync();
    bool empty = false;
    if (me.warp.rank() == lane) {
      const state seen = look(position);
      empty = !seen.is_later && !seen.is_full;
    }
    return me.warp.any(empty);
  }

  /// Inserts the number of each lane with `has`. Requires room for all of them. Called by all lanes.
  template <class Worker>
  EVENLY_INLINE_FN void insert(const Worker& me, bool has, std::uint32_t number) const {
    const int lanes = me.warp.size();
    std::uint64_t first = where_to_begin(me, *tail);
    for (lane_mask having = me.warp.ballot(has); having != 0; having = me.warp.ballot(has)) {
      const state seen = look(first + static_cast<std::uint64_t>(me.warp.rank()));
      lane_mask empty = me.warp.ballot(seen.is_empty);
      if (empty == 0) {
        // All slots are full, or have been. (None is of an earlier epoch, since there is room.)
        if (me.warp.all(seen.is_later || seen.is_full))
          first += static_cast<std::uint64_t>(lanes);
        else {
          if (me.leads()) me.note_spin();
          me.block.backoff();
        }
        continue;
      }
      for (int before = lanes_in(having & first_lanes(me.warp.rank())); before > 0; --before)
        empty &= empty - 1;
      std::uint64_t position = 0;
      bool done = false;
      if (has && empty != 0) {
        position = first + static_cast<std::uint64_t>(first_lane(empty));
        done = swap(position, word(epoch_of(position), 0), word(epoch_of(position), number + 1));
        has = !done;
        if (!done) me.note_failed_cas();
      }
      move_on(me, *tail, first, done, position);
    }
  }

  /// Removes up to `max` numbers. Returns the lanes that have one. Called by all lanes.
  template <class Worker>
  EVENLY_INLINE_FN lane_mask extract(const Worker& me, int max, std::uint32_t& number) const {
    std::uint64_t first = where_to_begin(me, *head);
    for (;;) {
      const std::uint64_t position = first + static_cast<std::uint64_t>(me.warp.rank());
      const state seen = look(position);
      const lane_mask empty = me.warp.ballot(!seen.is_later && !seen.is_full);
      const lane_mask before = empty == 0 ? first_lanes(me.warp.size()) : first_lanes(first_lane(empty));
      const lane_mask full = me.warp.ballot(seen.is_full) & before;
      if (full == 0) {
        if (empty == 0)
          first += static_cast<std::uint64_t>(me.warp.size());
        else if (is_still_empty(me, position, first_lane(empty)))
          return 0;
        continue;
      }
      bool done = false;
      if ((full >> me.warp.rank() & 1) != 0 && lanes_in(full & first_lanes(me.warp.rank())) < max) {
        done = swap(position, seen.word, word(epoch_of(position) + 1, 0));
        number = static_cast<std::uint32_t>(seen.word) - 1;
        if (!done) me.note_failed_cas();
      }
      move_on(me, *head, first, done, position);
      if (const lane_mask got = me.warp.ballot(done); got != 0) return got;
    }
  }
};

} // namespace evenly::detail

namespace evenly::tasks {

/// The lock-free queue. See the head of this file.
struct lock_free_queue {
  static constexpr task_order order = task_order::fifo;
  static constexpr task_progress progress = task_progress::lock_free;
  static constexpr bool linearizable = true;

  int lazy = 32; ///< x: head and tail advance at every x-th position. At least 1

  template <class T> using view = detail::queue_view<detail::numbered_tasks<T, detail::number_queue>>;

  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t) {
    return detail::tuned_queue_capacity<T>(on_host);
  }

  /// Throws invalid_argument if `lazy` is less than 1, or the capacity is 2^31 or more.
  template <class T> view<T> make(pool_memory& memory, const pool_shape& shape) const {
    require(lazy >= 1, [&] { return "lazy = " + std::to_string(lazy) + ": must be 1 or more"; });
    detail::number_queue numbers{};
    numbers.lazy = lazy;
    return view<T>{
        detail::numbered_tasks<T, detail::number_queue>::make(memory, shape, "lock_free_queue", numbers)};
  }
};

static_assert(task_pool<lock_free_queue>);

} // namespace evenly::tasks

namespace evenly {

using tasks::lock_free_queue;

} // namespace evenly
