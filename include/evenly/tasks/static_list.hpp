// SPDX-License-Identifier: Apache-2.0
// static_list: rounds over a list. In each round the workers run the tasks of the input list, and append new tasks to
// the output list. Then the lists are swapped (Cederman & Tsigas 2008, section 4.1).
//
// The assignment is fixed: of W workers, worker w takes batches w, w + W, ..., so reading needs no synchronisation. A
// worker reserves places in the output list by one fetch_add for all its new tasks. Tasks beyond the end of the list
// stay with the worker. The tail may exceed the end during a round; this is harmless, since no worker takes from the
// output list.
//
// A grid barrier separates rounds (block/grid_sync.hpp). Alternatively, as in the paper, the launch
// ends and the host starts the next one, with as many blocks as the number of tasks requires.
//
// Wins if a round has many tasks of about equal length. Loses on chains: each task of a chain costs a grid barrier.
#pragma once

#include <cstdint>

#include "evenly/block/block.hpp"
#include "evenly/block/grid_sync.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"

namespace evenly::tasks {

/// The pool of rounds. See the head of this file.
struct static_list {
  static constexpr task_order order = task_order::none;
  static constexpr task_progress progress = task_progress::lock_free; ///< within a round; rounds wait for all
  static constexpr bool linearizable = true;

  /// Whether each round is a separate launch. The host then reads the number of tasks before each launch.
  bool launches = false;

  template <class T> struct view {
    static constexpr bool keeps_tasks = false;
    static constexpr bool has_shares = false;
    struct slots {};
    EVENLY_FN static slots lay_out(storage_layout&, int) { return {}; }

    T* lists[2];
    std::int64_t capacity;    ///< of each list
    detail::task_word* tails; ///< three, used by rounds in turn; a tail may exceed the end
    detail::task_word* ends; ///< two, in turn: whether the run ends, as block 0 read it before a grid barrier
    grid_barrier barrier;
    bool launches;
    std::int64_t round = 0; ///< the round of this launch, if launches are rounds

    template <class Worker> class exchange;
  };

  template <class T> static constexpr std::int64_t tuned_capacity(bool on_host, std::int64_t) {
    return tasks_in<T>(on_host ? 4 << 20 : 128 << 20);
  }

  template <class T> view<T> make(pool_memory& memory, const pool_shape& shape) const {
    view<T> made{};
    made.tails = memory.take_zeroed<detail::task_word>(3);
    made.ends = memory.take_zeroed<detail::task_word>(2);
    made.barrier = {memory.take_zeroed<std::byte>(grid_barrier::bytes)};
    for (T*& list : made.lists) list = memory.take<T>(shape.capacity);
    made.capacity = shape.capacity;
    made.launches = launches;
    return made;
  }
};

template <class T> template <class Worker> class static_list::view<T>::exchange {
 public:
  EVENLY_INLINE_FN exchange(const view& pool, Worker& worker, const slots&)
      : pool_(pool), me_(worker), round_(pool.round) {
    begin_round(pool.round == 0 ? worker.run.count : in_list(pool.round));
  }

  template <class Stack> EVENLY_INLINE_FN bool obtain(Stack& stack) {
    if (!stack.empty()) return true; // tasks for which the list had no room
    if (next_ >= count_) return false;
    const int taking = static_cast<int>(smaller<std::int64_t>(me_.width, count_ - next_));
    const auto in = traced(me_.block, round_ == 0 ? me_.run.initial : pool_.lists[(round_ + 1) % 2]);
    for (int i = me_.warp.rank(); i < taking; i += me_.warp.size()) {
      const T task = in[next_ + i];
      stack.store(i, task);
    }
    stack.hold(taking);
    me_.taken += taking;
    next_ += std::int64_t{me_.count()} * me_.width;
    me_.warp.sync();
    return true;
  }

  template <class Stack> EVENLY_INLINE_FN void offer(Stack& stack, unsigned = 0) {
    if (stack.empty()) return;
    std::int64_t first = 0;
    const atomic_ref tail(pool_.tails[round_ % 3].value);
    if (me_.leads()) {
      first = tail.load(order::relaxed{});
      if (first < pool_.capacity) first = tail.fetch_add(stack.size(), order::relaxed{});
    }
    first = me_.broadcast(first);
    const std::int64_t room = pool_.capacity - first;
    const int giving = room <= 0 ? 0 : static_cast<int>(smaller<std::int64_t>(stack.size(), room));
    const auto out = traced(me_.block, pool_.lists[round_ % 2]);
    for (int i = me_.warp.rank(); i < giving; i += me_.warp.size()) out[first + i] = stack.oldest(i);
    stack.drop_oldest(giving);
    if (stack.empty()) stack.hold(0);
    me_.warp.sync();
  }

  template <class Stack> EVENLY_INLINE_FN void relieve(Stack& stack, int) {
    offer(stack);
    stack.compact(me_.warp);
  }
  EVENLY_INLINE_FN void leave() {}

  /// Starts the next round. Returns false if the run ends. Block 0 reads the outcome before the grid barrier, so that
  /// all blocks see the same value.
  EVENLY_INLINE_FN bool next_round() {
    if (pool_.launches) return false;
    detail::task_word& end = pool_.ends[round_ % 2];
    if (me_.block.index() == 0 && me_.block.rank() == 0) {
      atomic_ref(pool_.tails[(round_ + 1) % 3].value).store(0, order::relaxed{});
    }
    me_.block.sync(); // all writes of the outcome are done
    if (me_.block.index() == 0 && me_.block.rank() == 0)
      atomic_ref(end.value).store(atomic_ref(me_.run.control->outcome.value).load(order::relaxed{}),
                                  order::relaxed{});
    if constexpr (Worker::is_profiled) {
      const std::int64_t since = detail::task_clock();
      grid_sync(me_.block, pool_.barrier);
      if (warp_of(me_.block) == me_.in_block) me_.note_idle(since);
    } else
      grid_sync(me_.block, pool_.barrier);
    if (atomic_ref(end.value).load(order::relaxed{}) != 0) return false;
    ++round_;
    begin_round(in_list(round_));
    return count_ > 0;
  }

 private:
  /// Returns the number of tasks in the output list of the round before `of`.
  EVENLY_INLINE_FN std::int64_t in_list(std::int64_t of) const {
    const atomic_ref tail(pool_.tails[(of + 2) % 3].value);
    return smaller(tail.load(order::relaxed{}), pool_.capacity);
  }
  EVENLY_INLINE_FN void begin_round(std::int64_t count) {
    count_ = count;
    next_ = std::int64_t{me_.index()} * me_.width;
  }

  const view& pool_;
  Worker& me_;
  std::int64_t round_;
  std::int64_t count_ = 0; ///< tasks of the round
  std::int64_t next_ = 0;
};

static_assert(task_pool<static_list>);

} // namespace evenly::tasks

namespace evenly {

using tasks::static_list;

} // namespace evenly
