// SPDX-License-Identifier: Apache-2.0
// simt_engine: runs the threads of simulated blocks as fibres, one at a time, and knows where each thread waits.
//
// An engine runs one block, or all blocks of a co-resident launch, on the operating-system thread that calls run(). A
// thread runs until it calls a collective or backoff; then the engine switches to the next ready thread. If no thread
// is ready and some have not finished, none will ever be ready: this is the deadlock report.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <source_location>
#include <thread>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/simulator/detail/checks.hpp"
#include "evenly/simulator/detail/fibre.hpp"
#include "evenly/simulator/detail/launch_state.hpp"
#include "evenly/simulator/detail/overflow.hpp"
#include "evenly/simulator/detail/report.hpp"
#include "evenly/simulator/detail/state.hpp"
#include "evenly/simulator/detail/warp_operation.hpp"
#include "evenly/trace/counted.hpp"

namespace evenly::detail {

class simt_engine : public simt_checks {
 public:
  explicit simt_engine(std::size_t stack_bytes) : fibres_(&run_thread, stack_bytes) {
    watch_.overflowed = &overflowed;
    watch_.stuck = &stuck_in_library;
  }
  simt_engine(const simt_engine&) = delete;
  simt_engine& operator=(const simt_engine&) = delete;

  /// Runs blocks [first, first + count) of the job together; `position` is theirs in the launch. Records there the
  /// exception of the first failing thread, after all others are unwound. Returns early if another block of the launch
  /// fails.
  void run(const simt_job& job, simt_launch_state& launch, int first, int count, int position) {
    watch_.kernel.learn(reinterpret_cast<std::uintptr_t>(job.call));
    const overflow_handling handling(watch_);
    begin(job, launch, first, count, position);
    if (job.watches_atomics())
      watch_atomics_by({&before_atomic, &after_atomic, &count_access, &refuse_element, this});
    if (context& next = choose_next(); &next != &main_) leave_main(next);
    // At this point all threads have finished, or one has failed, or none can continue.
    if (live_ > 0 && !failure_ && !abandoned_)
      fail(simulation_error("deadlock: no thread can continue: " + report::describe(blocks_, block_count_)));
    abandon();
    count_operations_in(nullptr);
    watch_atomics_by({});
    fibres_.shrink(idle_fibres_kept);
    if (count_progress()) ++launch.progress;
    if (failure_) launch.note(position, stuck_, std::exchange(failure_, nullptr));
  }

  void sync(simt_thread& me, std::source_location where) {
    arrive_at(me, simt_step::sync, where);
    simt_block_state& block = *me.block;
    if (block.waiting == 0)
      block.meeting = me.where;
    else if (!same_place(block.meeting, me.where))
      block.apart = true;
    if (++block.waiting == job_->shape.size) complete_sync(block);
    suspend(me);
  }

  void warp_sync(simt_thread& me, lane_mask mask, std::source_location where) {
    meet(me, simt_step::warp_sync, mask, where);
  }
  /// Copies the `bytes` bytes at `value` of the lane `source` to `result`.
  void warp_shuffle(simt_thread& me, lane_mask mask, const void* value, void* result, std::size_t bytes,
                    int source, std::source_location where) {
    if (source < 0 || source >= 64 || !(mask >> source & 1)) refuse_source(me, mask, source, where);
    me.value = value;
    me.result = result;
    me.bytes = bytes;
    me.source = source;
    meet(me, simt_step::warp_shuffle, mask, where);
  }

  lane_mask warp_ballot(simt_thread& me, lane_mask mask, bool predicate, std::source_location where) {
    lane_mask votes = 0;
    me.value = &predicate;
    me.result = &votes;
    meet(me, simt_step::warp_ballot, mask, where);
    return votes;
  }

  /// Makes the thread's earlier accesses visible to other threads.
  void fence(simt_thread& me) {
    note_steps(me, steps_of_collective);
    if (job_->memory) me.block->order.fence(me.rank);
  }

  /// One iteration of a loop that waits for another block. `step`: backoff or grid_sync.
  void backoff(simt_thread& me, simt_step step, std::source_location where) {
    if (abandoned_) throw abandoned{};
    me.step = step;
    me.where = {where, me.caller};
    me.steps = 0;
    me.at_grid_sync = step == simt_step::grid_sync;
    if (std::exchange(me.polled_at, progress_) != progress_) me.polls = 0;
    if (++me.polls > idle_rounds_) after_idle_round(idle_rounds_ = me.polls);
    ready_.push_back(me);
    suspend(me);
  }

 private:
  struct abandoned {}; ///< unwinds a thread whose launch has failed
  static constexpr std::size_t idle_fibres_kept = 4096;
  static constexpr std::size_t rounds_until_deadlock = 10'000;
  static constexpr int steps_of_a_turn = 1000; ///< more than a waiting thread takes between two backoffs
  static constexpr int steps_of_load = 1;
  static constexpr int steps_of_collective = 10;

  void begin(const simt_job& job, simt_launch_state& launch, int first, int count, int position) {
    job_ = &job;
    launch_ = &launch;
    position_ = position;
    adopt_current(main_);
    random_.state = job.seed + simt_random{static_cast<std::uint64_t>(first)}();
    abandoned_ = stuck_ = false;
    note_progress();
    live_ = static_cast<std::int64_t>(count) * job.shape.size;
    ready_.clear(static_cast<std::size_t>(live_));
    blocks_.resize(larger(blocks_.size(), static_cast<std::size_t>(count)));
    block_count_ = count;
    for (int i = 0; i < count; ++i) {
      std::unique_ptr<simt_block_state>& block = blocks_[static_cast<std::size_t>(i)];
      if (!block) block = std::make_unique<simt_block_state>();
      begin_block(*block, first + i);
    }
  }

  void begin_block(simt_block_state& block, int index) {
    const block_shape shape = job_->shape;
    block.engine = this;
    block.index = index;
    block.job = job_;
    block.live = shape.size;
    block.waiting = block.epoch = 0;
    block.apart = false;
    block.threads.resize(static_cast<std::size_t>(shape.size));
    for (int rank = 0; rank < shape.size; ++rank) {
      simt_thread& t = block.thread(rank);
      t.block = &block;
      t.seen = &block;
      t.on = nullptr;
      t.rank = rank;
      t.caller = {};
      t.at_grid_sync = false;
      t.step = simt_step::fresh;
      ready_.push_back(t);
    }
    block.waiting_lanes.assign(static_cast<std::size_t>(shape.warps()), 0);
    // The pattern is conspicuous as float, double and int, if it is read although races are not checked.
    block.storage.resize(ceil_div(job_->storage_bytes, sizeof(storage_line)));
    if (!block.storage.empty()) std::memset(block.storage.data(), 0xFE, job_->storage_bytes);
    if (job_->check_races) {
      block.races.begin(job_->storage_bytes, shape);
      block.order.begin(index, block.races);
    }
    if (job_->trace) block.trace.begin(index, shape);
  }

  /// Returns the next context: that of a ready thread, which gets a fibre if it has none, or that of run().
  context& choose_next() {
    if (ready_.size() == 0 || abandoned_ || failure_) return main_;
    if (job_->seed != 0) ready_.bring_forward(random_.below(ready_.size()));
    simt_thread& t = ready_.pop_front();
    return t.on ? *t.on : given_fibre(t);
  }
  [[gnu::noinline]] context& given_fibre(simt_thread& t) {
    try {
      t.on = &fibres_.take();
    } catch (const std::bad_alloc&) {
      fail(device_error(report::no_memory(live_, fibres_.stack_bytes())));
      return main_;
    }
    t.on->thread = &t;
    return *t.on;
  }

  /// Runs the fibre's thread to its end. Returns the context to continue with. Catches all exceptions.
  static context& run_thread(fibre& on) {
    simt_thread& me = *on.thread;
    simt_engine& engine = *me.block->engine;
    engine.go_on(me);
    try {
      engine.job_->call(engine.job_->kernel, me);
      if (engine.job_->trace && me.block->live == 1) me.block->trace.end(*engine.job_->trace);
    } catch (const abandoned&) {
    } catch (...) {
      if (!engine.failure_) engine.failure_ = std::current_exception();
    }
    return engine.finish(me);
  }

  context& finish(simt_thread& me) {
    fibre& on = *me.on;
    if (!on.slab->check_canary(on.number))
      fail(simulation_error(report::overflow(me, fibres_.stack_bytes())));
    if (failure_) launch_->announce(position_, stuck_);
    retire(me);
    fibres_.give_back(on);
    note_progress();
    return choose_next();
  }

  void retire(simt_thread& me) {
    me.step = simt_step::finished;
    me.on = nullptr;
    --me.block->live;
    --live_;
  }

  /// Called after an overflow, at the top of the fibre's stack, whose contents are lost.
  static void overflowed(fibre& on) {
    simt_thread& me = *on.thread;
    simt_engine& engine = *me.block->engine;
    engine.fail(simulation_error(report::overflow(me, engine.fibres_.stack_bytes())));
    engine.retire(me);
    engine.broken_ = &on;
    switch_context(on, engine.main_, true);
  }

  /// Called by a signal handler.
  static void stuck_in_library(const fibre& on) {
    const simt_thread& me = *on.thread;
    report::write_overflow_in_library(me, me.block->engine->fibres_.stack_bytes());
  }

  /// Runs other threads until this thread is ready and next.
  void suspend(simt_thread& me) {
    if (context& next = choose_next(); &next != me.on) switch_context(*me.on, next);
    if (abandoned_) throw abandoned{};
    go_on(me);
  }

  /// Records that this thread runs from here on.
  void go_on(simt_thread& me) {
    me.step = simt_step::running;
    watch_.running = me.on;
    if (job_->trace) count_operations_in(&me.block->trace.operations(me.rank));
  }
  static void before_atomic(void* self, const atomic_operation& what) {
    auto& engine = *static_cast<simt_engine*>(self);
    simt_thread& me = *engine.watch_.running->thread;
    if (engine.abandoned_ || std::uncaught_exceptions() > 0) return; // called by a destructor
    if (engine.job_->switch_at_atomics) engine.offer_turn(me, what.by.where);
    engine.begin_atomic(me, what);
  }
  static void after_atomic(void* self, const atomic_operation& what, bool changed) {
    auto& engine = *static_cast<simt_engine*>(self);
    simt_thread& me = *engine.watch_.running->thread;
    engine.end_atomic(me, what);
    if (!engine.job_->switch_at_atomics && !engine.job_->co_resident) return;
    if (changed)
      engine.note_progress();
    else
      engine.note_steps(me, steps_of_load);
  }
  static void count_access(void* self, const counted_access& what) {
    auto& engine = *static_cast<simt_engine*>(self);
    if (engine.abandoned_ || std::uncaught_exceptions() > 0) return; // called by a destructor
    engine.count(*engine.watch_.running->thread, what);
  }
  static void refuse_element(void* self, std::int64_t element, std::size_t count,
                             std::source_location where) {
    auto& engine = *static_cast<simt_engine*>(self);
    engine.outside_view(*engine.watch_.running->thread, element, count, where);
  }
  /// Runs other threads first; with a seed, half of the time.
  void offer_turn(simt_thread& me, std::source_location where) {
    if (job_->seed != 0 && random_.below(2) == 0) return;
    me.step = simt_step::atomic;
    me.where = {where, me.caller};
    ready_.push_back(me);
    suspend(me);
  }

  /// Unwinds all threads that have begun and not finished.
  void abandon() {
    abandoned_ = true;
    for (int i = 0; live_ > 0 && i < block_count_; ++i)
      for (simt_thread& t : blocks_[static_cast<std::size_t>(i)]->threads)
        if (t.on) leave_main(*t.on);
  }

  /// Runs the fibre `next`, and those that it switches to, until one comes back.
  void leave_main(context& next) {
    watch_.running = &static_cast<fibre&>(next);
    switch_context(main_, next);
    watch_.running = nullptr;
    if (broken_) fibres_.give_back_unfinished(*std::exchange(broken_, nullptr));
  }

  template <class Error> void fail(const Error& what) {
    if (!failure_) failure_ = std::make_exception_ptr(what);
    launch_->announce(position_, stuck_);
  }

  void arrive_at(simt_thread& me, simt_step step, std::source_location where) {
    if (abandoned_) throw abandoned{};
    me.step = step;
    me.where = {where, me.caller};
    me.at_grid_sync = false;
    note_steps(me, steps_of_collective);
  }

  [[gnu::noinline]] void complete_sync(simt_block_state& block) {
    if (block.apart) throw simulation_error("sync at different places: " + report::describe(block));
    block.waiting = 0;
    ++block.epoch;
    if (job_->check_races) {
      block.races.sync();
      block.order.sync();
    }
    if (job_->trace) block.trace.sync();
    for (int rank = job_->shape.size; rank-- > 0;) ready_.push_front(block.thread(rank));
  }

  bool count_progress() const { return launch_->watched.load(std::memory_order_relaxed); }
  void note_progress() {
    idle_rounds_ = 0;
    ++progress_;
    if (count_progress()) launch_->progress.fetch_add(1, std::memory_order_relaxed);
  }

  /// Threads may check together whether to wait on for blocks of a co-resident launch, or that began earlier. So steps
  /// that change nothing count as progress only beyond the number that such a check takes.
  void note_steps(simt_thread& me, int steps) {
    if ((me.steps += steps) < steps_of_a_turn) return;
    me.steps = 0;
    note_progress();
  }

  /// A thread has called backoff `rounds` times, as the first one, and no thread has done anything else.
  void after_idle_round(std::size_t rounds) {
    bool dead = rounds >= rounds_until_deadlock;
    if (job_->may_wait_outside) {
      if (launch_->is_decided_before(position_) || (dead && launch_->has_failed())) {
        abandoned_ = true;
        throw abandoned{};
      }
      std::this_thread::yield();
      dead = dead && (launch_->has_stuck() ||
                      patience_.is_over(*launch_, rounds == rounds_until_deadlock, job_->patience));
    }
    if (!dead) return;
    stuck_ = true;
    throw simulation_error(report::gave_up(blocks_, block_count_, *job_, rounds));
  }

  /// Waits for the lanes of `mask`. The last one does the operation for all.
  void meet(simt_thread& me, simt_step step, lane_mask mask, std::source_location where) {
    arrive_at(me, step, where);
    const int lane = me.rank % job_->shape.warp;
    const lane_mask all = join_lanes(*job_, me, lane, mask);
    if (all == lane_mask{1} << lane) {
      me.step = simt_step::running;
      return;
    }
    for (lane_mask rest = all; rest;) {
      const int last = 63 - std::countl_zero(rest);
      ready_.push_front(me.block->thread(me.rank - lane + last));
      rest &= ~(lane_mask{1} << last);
    }
    suspend(me);
  }

  simt_launch_state* launch_ = nullptr;
  context main_; ///< run() itself
  fibre_pool fibres_;
  simt_queue ready_;
  std::vector<std::unique_ptr<simt_block_state>> blocks_;
  int block_count_ = 0;   ///< of blocks_, in use
  std::int64_t live_ = 0; ///< threads that have not finished
  int position_ = 0;
  bool abandoned_ = false;
  bool stuck_ = false; ///< failure_ is that of a thread that gave up waiting
  std::exception_ptr failure_;
  overflow_watch watch_;
  fibre* broken_ = nullptr; ///< it has overflowed; main_ returns it to the pool
  simt_random random_;
  std::uint64_t progress_ = 0;  ///< number of actions other than backoff, of all threads
  std::size_t idle_rounds_ = 0; ///< maximum number of backoffs of a thread since then
  simt_patience patience_;
};

} // namespace evenly::detail
