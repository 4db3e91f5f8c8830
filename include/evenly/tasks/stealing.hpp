// SPDX-License-Identifier: Apache-2.0
// stealing: each worker has a double-ended queue. It pushes and pops at its tail, while other workers steal at its head
// (Arora, Blumofe & Plaxton 1998; Cederman & Tsigas 2008, section 4.4).
//
// Head and a tag are one 64-bit word. A thief reads it, then the tail, then the task, and takes the task by advancing
// the head with a compare-and-swap.
//
// The owner takes a batch by moving the tail back, and then reads the head:
// * If the head is before the batch, no thief can take any of its tasks, and no compare-and-swap is needed.
// * Otherwise the owner takes all tasks: a compare-and-swap sets the head to 0 under the next tag. If that fails, a
//   thief has taken the first task, and only this one, since thieves that read the head later see the new tail.
//
// This requires that the owner's store to the tail comes before its read of the head for all threads, and a thief's
// read of the head before that of the tail. These four accesses are sequentially consistent; the store is an exchange.
// A thief may read a task while the owner, under the next tag, overwrites it. Therefore tasks are read and written word
// by word by relaxed operations; the thief's compare-and-swap fails in this case.
//
// Indices restart at 0 whenever the owner finds nothing left. So a deque has room for the tasks that its owner pushes
// between two restarts. Tags have 32 bits: an error needs a thief that stalls for 2^32 of them.
//
// Last in, first out, if the owner is alone. Lock-free.
#pragma once

#include <cstdint>
#include <cstring>

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/queue_exchange.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::tasks {

/// The order in which a worker tries its victims: by number, beginning behind its own, or random.
enum class victims { in_turn, random };

} // namespace evenly::tasks

namespace evenly::detail {

/// A task as words, each of which is read and written by a separate operation.
template <class T> struct task_words {
  static constexpr int count = static_cast<int>((sizeof(T) + 3) / 4);
  std::uint32_t words[count];

  EVENLY_INLINE_FN void write(const T& task) {
    std::uint32_t parts[count] = {};
    memcpy(parts, &task, sizeof(T));
    EVENLY_UNROLL
    for (int w = 0; w < count; ++w) atomic_ref(words[w]).store(parts[w], order::relaxed{});
  }
  EVENLY_INLINE_FN T read() {
    std::uint32_t parts[count];
    EVENLY_UNROLL
    for (int w = 0; w < count; ++w) parts[w] = atomic_ref(words[w]).load(order::relaxed{});
    T task{};
    memcpy(&task, parts, sizeof(T));
    return task;
  }
};

template <class T> struct task_deques {
  static constexpr bool has_shares = true;

  task_word* heads; ///< of each worker: tag << 32 | head
  task_word* tails;
  task_words<T>* slots;
  std::int64_t capacity; ///< of each worker
  tasks::victims order_of_victims;

  template <class Worker> class handle {
   public:
    EVENLY_INLINE_FN handle(const task_deques& deques, const Worker& worker)
        : deques_(deques), me_(worker), victim_(worker.index()) {}

    template <class Get> EVENLY_INLINE_FN int push(int count, Get get) {
      const int giving = static_cast<int>(smaller<std::int64_t>(count, deques_.capacity - tail_));
      for (int i = me_.warp.rank(); i < giving; i += me_.warp.size())
        slot(me_.index(), tail_ + i).write(get(i));
      tail_ += giving;
      me_.warp.sync();
      if (me_.leads() && giving > 0) tail_of(me_.index()).store(tail_, order::release{});
      return giving;
    }

    template <class Put> EVENLY_INLINE_FN int pop(int max, Put put) {
      if (tail_ > 0)
        if (const int mine = pop_own(max, put); mine > 0) return mine;
      return steal(put);
    }

   private:
    static constexpr std::int64_t head_bits = 0xFFFFFFFF;

    EVENLY_INLINE_FN auto head_of(int worker) const { return atomic_ref(deques_.heads[worker].value); }
    EVENLY_INLINE_FN auto tail_of(int worker) const { return atomic_ref(deques_.tails[worker].value); }
    EVENLY_INLINE_FN task_words<T>& slot(int worker, std::int64_t at) const {
      return deques_.slots[worker * deques_.capacity + at];
    }
    /// Returns the head 0 with the next tag.
    EVENLY_INLINE_FN static std::int64_t restarted(std::int64_t head) {
      return static_cast<std::int64_t>(((static_cast<std::uint64_t>(head) >> 32) + 1) << 32);
    }

    template <class Put> EVENLY_INLINE_FN int pop_own(int max, Put put) {
      struct {
        std::int64_t first = 0;
        int count = 0;
        int restarts = 0;
      } mine;
      if (me_.leads()) {
        const std::int64_t tail = larger<std::int64_t>(tail_ - max, 0);
        tail_of(me_.index()).exchange(tail, order::seq_cst{});
        std::int64_t head = head_of(me_.index()).load(order::seq_cst{});
        mine.first = tail;
        if (tail <= (head & head_bits)) {
          mine.restarts = 1;
          mine.first = head & head_bits;
          tail_of(me_.index()).store(0, order::relaxed{});
          if (!head_of(me_.index()).compare_exchange(head, restarted(head), order::acq_rel{})) {
            ++mine.first; // a thief has taken it
            me_.note_failed_cas();
            head_of(me_.index()).exchange(restarted(head), order::acq_rel{});
          }
        }
        mine.count = static_cast<int>(larger<std::int64_t>(tail_ - mine.first, 0));
      }
      mine = me_.broadcast(mine);
      for (int i = me_.warp.rank(); i < mine.count; i += me_.warp.size())
        put(i, slot(me_.index(), mine.first + i).read());
      tail_ = mine.restarts != 0 ? 0 : mine.first;
      me_.warp.sync();
      return mine.count;
    }

    /// Each lane examines a different victim. The first lane that finds a task tries to take it.
    template <class Put> EVENLY_INLINE_FN int steal(Put put) {
      const int others = me_.count() - 1;
      if (others == 0) return 0;
      next_victims();
      const int rank = me_.warp.rank();
      const int victim = (victim_ + rank) % me_.count();
      std::int64_t head = 0;
      bool has = false;
      if (rank < me_.count() && victim != me_.index()) {
        head = head_of(victim).load(order::seq_cst{});
        has = (head & head_bits) < tail_of(victim).load(order::seq_cst{});
      }
      const int thief = me_.warp.first_where(has);
      if (thief < 0) return 0;
      int got = 0;
      if (rank == thief) {
        const T task = slot(victim, head & head_bits).read();
        got = head_of(victim).compare_exchange(head, head + 1, order::acq_rel{});
        if (got != 0)
          put(0, task);
        else
          me_.note_failed_cas();
      }
      return me_.warp.shuffle(got, thief) != 0 ? 1 : contended;
    }
    EVENLY_INLINE_FN void next_victims() {
      const auto me = static_cast<unsigned>(me_.index()), count = static_cast<unsigned>(me_.count());
      const auto lanes = static_cast<unsigned>(me_.warp.size());
      if (deques_.order_of_victims == tasks::victims::in_turn)
        victim_ = static_cast<int>((looks_++ * lanes + 1 + me) % count);
      else
        victim_ = static_cast<int>(((me * 2654435761u + ++looks_ * 40503u * 2654435761u) >> 8) % count);
    }

    const task_deques& deques_;
    const Worker& me_;
    std::int64_t tail_ = 0; ///< the owner's copy; no other worker changes the tail
    int victim_;
    unsigned looks_ = 0;
  };
};

} // namespace evenly::detail

namespace evenly::tasks {

/// The pool of double-ended queues. See the head of this file.
struct stealing {
  static constexpr task_order order = task_order::lifo;
  static constexpr task_progress progress = task_progress::lock_free;
  static constexpr bool linearizable = true;

  victims order_of_victims = victims::in_turn;

  template <class T> using view = detail::queue_view<detail::task_deques<T>>;

  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t workers) {
    return workers * tasks_in<T>(on_host ? 1 << 20 : 128 << 10);
  }

  template <class T> view<T> make(pool_memory& memory, const pool_shape& shape) const {
    view<T> made{};
    detail::task_deques<T>& deques = made.queue;
    deques.heads = memory.take_zeroed<detail::task_word>(shape.workers());
    deques.tails = memory.take_zeroed<detail::task_word>(shape.workers());
    deques.capacity = smaller<std::int64_t>(ceil_div(shape.capacity, shape.workers()), 1 << 30);
    deques.slots = memory.take<detail::task_words<T>>(shape.workers() * deques.capacity);
    deques.order_of_victims = order_of_victims;
    return made;
  }
};

static_assert(task_pool<stealing>);

} // namespace evenly::tasks

namespace evenly {

using tasks::stealing;

} // namespace evenly
