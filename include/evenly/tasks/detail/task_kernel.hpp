// SPDX-License-Identifier: Apache-2.0
// The kernel of task pools, and each thread's stack of tasks.
#pragma once

#include <type_traits>

#include "evenly/block/block.hpp"
#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/sink.hpp"

// ---------------------------------------------------------------------------------------------------------------------
// task_stack: a worker's private stack of tasks, in the storage of its block.
//
// It is linear: the tasks are in [bottom, top) of its places. New tasks are pushed and popped at the top, the oldest
// are taken at the bottom, and compact() moves the rest down again. All lanes of the worker have the same bounds, in
// registers. The lanes synchronise before one of them reads what another has stored.

namespace evenly::detail {

template <class Task, class Storage> class task_stack {
 public:
  EVENLY_FN task_stack(const Storage& tasks, int capacity) : tasks_(tasks), capacity_(capacity) {}

  EVENLY_INLINE_FN int size() const { return top_ - bottom_; }
  EVENLY_INLINE_FN bool empty() const { return top_ == bottom_; }
  EVENLY_INLINE_FN int capacity() const { return capacity_; }
  EVENLY_INLINE_FN int top() const { return top_; }
  /// Returns the number of places above the top.
  EVENLY_INLINE_FN int room() const { return capacity_ - top_; }

  /// Return the i-th oldest and the i-th newest task.
  EVENLY_INLINE_FN Task oldest(int i) const { return tasks_[bottom_ + i]; }
  EVENLY_INLINE_FN Task newest(int i) const { return tasks_[top_ - 1 - i]; }
  EVENLY_INLINE_FN void drop_oldest(int count) { bottom_ += count; }
  EVENLY_INLINE_FN void drop_newest(int count) { top_ -= count; }

  /// Stores a task in place `at`, below capacity().
  EVENLY_INLINE_FN void store(int at, const Task& task) const { tasks_[at] = task; }
  /// Raises the top by `count` tasks if there is room. Returns whether there was.
  EVENLY_INLINE_FN bool raise(int count) {
    const int top = top_ + count;
    const bool fits = top <= capacity_;
    highest_ = larger(highest_, top);
    top_ = fits ? top : top_;
    return fits;
  }
  /// Returns the highest top that raise() was asked for since forget_highest(), or the top at that call.
  EVENLY_INLINE_FN int highest() const { return highest_; }
  EVENLY_INLINE_FN void forget_highest() { highest_ = top_; }
  /// Sets the number of places in use.
  EVENLY_INLINE_FN void set_top(int top) { top_ = top; }
  /// Holds the tasks that have been stored at [0, count).
  EVENLY_INLINE_FN void hold(int count) { bottom_ = 0, top_ = count; }

  /// Moves the tasks down to place 0. Called by all lanes.
  template <class Lanes> EVENLY_INLINE_FN void compact(const Lanes& lanes) {
    if (bottom_ == 0) return;
    const int count = size();
    lanes.sync();
    EVENLY_DO_NOT_UNROLL
    for (int i = lanes.rank(); i - lanes.rank() < count; i += lanes.size()) {
      Task task{};
      if (i < count) task = oldest(i);
      lanes.sync();
      if (i < count) store(i, task);
      lanes.sync();
    }
    hold(count);
  }

 private:
  Storage tasks_;
  int capacity_;
  int bottom_ = 0;
  int top_ = 0;
  int highest_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------
// The kernel of a run: each worker gets tasks from the pool, runs the newest, and offers tasks to the pool.
//
// A pool's view (tasks/pool.hpp) has the class exchange, the interface of one worker to the pool. All lanes of the
// worker call its members, with the worker's private stack:
//   obtain(stack)    if the stack is empty, puts tasks on it, and waits for some if necessary; false: the run is over
//   offer(stack, turn)
//                    after burst number `turn`: takes from the stack the tasks for other workers
//   is_calm()        whether no worker has requested tasks for a while, so that bursts may be long. Optional
//   relieve(stack, wanted)
//                    compacts the stack and, if possible, makes room for `wanted` tasks without running one; it may
//                    move all other tasks
//   leave()          the worker is about to end before all tasks are done
//   next_round()     called by all threads of the block when workers have no more tasks: whether there is another round
// A burst is the work of a worker between two calls of offer.

/// The kernel. `Checked`: counts the pushed tasks after each step. `Profiled`: runs can be profiled.
template <class T, class View, class Body, bool Profiled = false, bool Checked = EVENLY_CHECKED != 0>
struct task_kernel {
  static constexpr int tuned_block_size = task_block_size<T, Body>;
  static constexpr bool only_tuned_size = true;
  static constexpr int min_blocks = 1; ///< for 2 blocks the compiler might use fewer registers
  static constexpr bool is_copyable = is_device_copyable<Body, View>;
  /// The maximum number of tasks that a call adds to the stack's height.
  static constexpr int growth = larger(max_children<Body> - 1, 0);

  /// Returns the number of workers of a block.
  EVENLY_FN static constexpr int workers_in(block_shape shape) {
    return is_for_block<Body> ? 1 : shape.warps();
  }
  /// Returns the number of tasks that a worker runs at a time: one per lane, or as many large tasks as its default
  /// stack has room for together with their children.
  EVENLY_FN static constexpr int width_of(block_shape shape) {
    return is_for_team<Body> ? 1 : smaller(smaller(shape.size, shape.warp), fitting(tuned_stack<T, Body>));
  }

  View pool;
  Body body;
  task_run<T> run;

  struct slots {
    slot<T> stacks;
    slot<int> heights; ///< and, of a worker that is a block, whether there is a task
    typename View::slots pool;
  };
  EVENLY_FN slots lay_out(storage_layout& layout, block_shape shape) const {
    const int workers = workers_in(shape);
    return {layout.take<T>(workers * run.stack), layout.take<int>(2 * workers),
            View::lay_out(layout, workers)};
  }

  EVENLY_MAY_CALL_HOST
  template <class Block> EVENLY_FN void operator()(Block& block) const {
    storage_layout layout;
    const slots places = lay_out(layout, block.shape());
    const int workers = workers_in(block.shape());
    using worker = task_worker<T, Block, Profiled, takes_long<Body>()>;
    worker me(block, run, width_of(block.shape()), workers == 1 ? 0 : warp_of(block), workers);
    const auto own_places =
        kept_in_register(block.storage(places.stacks.part(me.in_block * run.stack, run.stack)));
    task_stack<T, std::remove_cv_t<decltype(own_places)>> stack(own_places, run.stack);
    const auto heights = block.storage(places.heights);
    if (me.leads() && warp_of(block) == me.in_block) {
      heights[me.in_block] = 0;
      me.begin_timeline();
    }
    typename View::template exchange<worker> exchange(pool, me, places.pool);
    block.sync();
    tasks::task_sink<Body, worker, decltype(stack), decltype(heights), decltype(exchange)> sink(
        me, stack, heights, exchange);
    do {
      if constexpr (is_for_block<Body> && !Block::is_serial)
        run_as_block(me, stack, heights, exchange, sink);
      else
        run_as_warp(me, stack, heights, exchange, sink);
    } while (exchange.next_round());
    me.write_row(!is_for_block<Body> || warp_of(block) == 0);
  }

 private:
  /// Bursts between two checks whether the run has ended.
  template <class Block>
  static constexpr int bursts_until_look = !says_max_children<Body>()              ? 1
                                           : Block::is_serial || is_for_team<Body> ? 4
                                                                                   : 64;
  /// Returns the steps of a burst, at most `max`, such that their new tasks fit into `1 / of_stack` of a stack.
  template <class Block> static constexpr int burst_of(int of_stack, int max) {
    if (!View::keeps_tasks || !says_max_children<Body>()) return 1;
    const int added = larger(growth * (Block::is_serial ? 1 : 32), 1);
    return larger(smaller(tuned_stack<T, Body> / of_stack / added, max), 1);
  }
  template <class Block> static constexpr int burst = burst_of<Block>(4, 4);
  /// For calm pools. A serial worker runs few tasks in a burst in any case.
  template <class Block>
  static constexpr int long_burst = Block::is_serial ? burst<Block> : burst_of<Block>(2, 16);

  /// Whether the number of pushed tasks is checked once per burst, not after each step. Then pushes check for room
  /// themselves.
  template <class Block>
  static constexpr bool checks_bursts = is_in_step<Body> && !Block::is_serial && !Checked;

  template <class Block, class Stack, class Exchange>
  EVENLY_INLINE_FN static int steps_of_burst(const Stack& stack, const Exchange& exchange, int width) {
    constexpr int some = burst<Block>, many = long_burst<Block>;
    if constexpr (many > some && requires { exchange.is_calm(); })
      if (exchange.is_calm() && stack.room() >= many * width * growth + reserve(stack.capacity()))
        return many;
    return some;
  }

  EVENLY_MAY_CALL_HOST
  template <class Worker, class Stack, class Heights, class Exchange, class Sink>
  EVENLY_INLINE_FN void run_as_warp(Worker& me, Stack& stack, const Heights& heights, Exchange& exchange,
                                    Sink& sink) const {
    using block_type = std::remove_reference_t<decltype(me.block)>;
    int ran = 0, grown = 0;
    for (unsigned turn = 0; exchange.obtain(stack); ++turn) {
      int steps = steps_of_burst<block_type>(stack, exchange, me.width);
      int limit = me.width;
      bool continues = make_room(me, stack, exchange, steps, limit);
      if (turn % bursts_until_look<block_type> == 0) {
        note(me, ran, grown);
        ran = grown = 0;
        continues = continues && !me.stopped();
      }
      if (!continues) {
        exchange.leave();
        break;
      }
      const int before = stack.top();
      int ran_here = 0;
      if constexpr (!block_type::is_serial) stack.forget_highest();
      EVENLY_DO_NOT_UNROLL
      for (int i = steps; i > 0 && !stack.empty(); --i)
        ran_here += step(me, stack, heights, sink, smaller(limit, stack.size()));
      const int grown_here = stack.top() - before;
      if constexpr (checks_bursts<block_type>) check_run(me, stack, ran_here, ran_here + grown_here);
      ran += ran_here, grown += grown_here;
      exchange.offer(stack, turn);
    }
    note(me, ran, grown);
  }

  /// Makes room for the tasks that a burst may push, and for the reserve. If that fails, `steps` becomes 1, and `limit`
  /// the number of tasks that may run at a time: one if the reserve is needed. So a worker whose tasks no other worker
  /// takes proceeds depth-first before tasks that ran side by side fill its stack. Returns false if there is no room
  /// for the children of even one task.
  template <class Worker, class Stack, class Exchange>
  EVENLY_INLINE_FN static bool make_room(const Worker& me, Stack& stack, Exchange& exchange, int& steps,
                                         int& limit) {
    if constexpr (growth == 0) {
      if (stack.room() == 0) stack.compact(me.warp);
      return true;
    } else {
      const int wanted = steps * me.width * growth + reserve(stack.capacity());
      if (stack.room() >= wanted) return true;
      if constexpr (View::keeps_tasks) // on a small stack a step's tasks stay
        exchange.relieve(stack, smaller(wanted, stack.capacity() - fitting(stack.capacity())));
      else
        stack.compact(me.warp); // tasks without room in the pool are run here
      if (stack.room() >= wanted) return true;
      steps = 1;
      limit = smaller(me.width, (stack.room() - reserve(stack.capacity())) / growth);
      if (limit <= 0) limit = stack.room() >= growth ? 1 : 0;
      if (limit == 0 && me.leads()) me.overflow(growth - stack.room());
      return limit > 0;
    }
  }
  /// Returns the number of places that tasks which run side by side leave free. It is smaller if the pool's tasks are
  /// on the stacks: otherwise tasks would move to memory before other workers can take them.
  EVENLY_INLINE_FN static constexpr int reserve(int capacity) {
    const int half = capacity / 2;
    return View::keeps_tasks ? larger(capacity / 4, smaller(half, 16 * growth)) : half;
  }
  /// Returns the number of tasks that an otherwise empty stack holds with room for their children and the reserve.
  EVENLY_INLINE_FN static constexpr int fitting(int capacity) {
    return larger((capacity - reserve(capacity)) / (growth + 1), 1);
  }

  /// Runs the `count` newest tasks at the same time. Returns `count`.
  EVENLY_MAY_CALL_HOST
  template <class Worker, class Stack, class Heights, class Sink>
  EVENLY_INLINE_FN int step(Worker& me, Stack& stack, const Heights& heights, Sink& sink, int count) const {
    using block_type = std::remove_reference_t<decltype(me.block)>;
    constexpr bool has_height = !is_in_step<Body> && !block_type::is_serial;
    const bool has = is_for_team<Body> || me.warp.rank() < count;
    T task{};
    if (has) task = stack.newest(is_for_team<Body> ? 0 : me.warp.rank()); // the first lane has the newest
    stack.drop_newest(count);
    const int before = stack.top();
    if (has_height && me.leads()) heights[me.in_block] = before;
    me.warp.sync();
    call(me, task, sink, has);
    me.warp.sync();
    if constexpr (has_height) {
      int top = 0;
      if (me.leads()) top = heights[me.in_block];
      stack.set_top(me.broadcast(top));
    }
    if constexpr (!checks_bursts<block_type>) check_run(me, stack, count, stack.top() - before);
    return count;
  }

  EVENLY_MAY_CALL_HOST
  template <class Worker, class Sink>
  EVENLY_INLINE_FN void call(Worker& me, const T& task, Sink& sink, bool has) const {
    using block_type = std::remove_reference_t<decltype(me.block)>;
    if constexpr (is_in_step<Body>) {
      tasks::task_lanes<block_type> team(me.warp, has);
      body(team, task, sink);
    } else if constexpr (std::is_same_v<form_of<Body>, tasks::each_warp>) {
      body(me.warp, task, sink);
    } else {
      team<std::is_same_v<form_of<Body>, tasks::each_block> ? whole_block : 1, block_type> team(me.block);
      if (has) body(team, task, sink);
    }
  }

  /// Counts tasks that have been run, and the growth of the stack.
  template <class Worker> EVENLY_INLINE_FN static void note(Worker& me, int ran, int grown) {
    me.ran += ran;
    if constexpr (says_max_children<Body>()) me.pushed += ran + grown;
  }
  /// Checks a step or a burst: `count` tasks were run and pushed `made` tasks.
  template <class Worker, class Stack>
  EVENLY_INLINE_FN static void check_run(Worker& me, Stack& stack, int count, int made) {
    using block_type = std::remove_reference_t<decltype(me.block)>;
    constexpr bool raises = is_in_step<Body> && !block_type::is_serial;
    const int highest = raises ? larger(stack.highest(), stack.top()) : stack.top();
    me.note_high_water(stack.size() + highest - stack.top());
    if constexpr (says_max_children<Body>())
      if (made > count * max_children<Body> || highest > stack.capacity()) {
        if (me.leads()) me.end(tasks::task_outcome::too_many);
        if (stack.room() < 0) stack.set_top(stack.top() - made); // not all of them have been stored
      }
  }

  /// Runs the tasks of a worker that is a block. The first warp uses the pool; all threads read the task in its place
  /// on the stack.
  EVENLY_MAY_CALL_HOST
  template <class Worker, class Stack, class Heights, class Exchange, class Sink>
  EVENLY_INLINE_FN void run_as_block(Worker& me, Stack& stack, const Heights& heights, Exchange& exchange,
                                     Sink& sink) const {
    using block_type = std::remove_reference_t<decltype(me.block)>;
    const bool leading = warp_of(me.block) == 0;
    for (unsigned turn = 0;; ++turn) {
      if (leading) {
        const bool has = next_of_block(me, stack, exchange, turn % bursts_until_look<block_type> == 0);
        if (me.leads()) heights[1] = has ? stack.top() : 0;
      }
      me.block.sync();
      const int top = heights[1];
      if (top == 0) break;
      stack.set_top(top);
      const T task = stack.newest(0);
      stack.drop_newest(1);
      if (me.block.rank() == 0) heights[0] = top - 1;
      me.block.sync();
      call(me, task, sink, true);
      me.block.sync();
      if (leading) {
        int height = 0;
        if (me.leads()) height = heights[0];
        stack.set_top(me.broadcast(height));
        const int made = stack.top() - (top - 1);
        check_run(me, stack, 1, made);
        note(me, 1, made - 1);
        exchange.offer(stack, turn);
      }
    }
    me.block.sync(); // before heights is written again
  }
  template <class Worker, class Stack, class Exchange>
  EVENLY_INLINE_FN static bool next_of_block(Worker& me, Stack& stack, Exchange& exchange, bool looks) {
    if (!exchange.obtain(stack)) return false;
    int steps = 1, limit = 1;
    if (make_room(me, stack, exchange, steps, limit) && !(looks && me.stopped())) return true;
    exchange.leave();
    return false;
  }
};

} // namespace evenly::detail
