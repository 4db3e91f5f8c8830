// SPDX-License-Identifier: Apache-2.0
// Runs the threads of simulated blocks as fibres, one at a time, and knows at any moment who waits where.
//
// An engine runs one block, or all blocks of a co-resident launch, on the operating-system thread that calls
// run(). A thread runs until it calls a collective or backoff; then the next one that is ready goes on,
// switched to directly. When no thread is ready and some have not finished, none of them ever will be: that
// is the deadlock report.
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <source_location>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/simt/fibre.hpp"
#include "evenly/execution/simt/race_check.hpp"
#include "evenly/execution/simt/report.hpp"
#include "evenly/execution/simt/state.hpp"
#include "evenly/trace/counted.hpp"

namespace evenly::detail {

class simt_engine {
 public:
  simt_engine() : fibres_(&run_thread) {}
  simt_engine(const simt_engine&) = delete;
  simt_engine& operator=(const simt_engine&) = delete;

  /// Runs blocks [first, first + count) of the job, all at the same time. Rethrows what the first failing
  /// thread threw, after all others have been unwound. Returns early if another block of the launch has
  /// failed.
  void run(const simt_job& job, simt_launch_state& launch, int first, int count) {
    begin(job, launch, first, count);
    if (context& next = choose_next(); &next != &main_) switch_context(main_, next);
    // Back here all threads have finished, or one has failed, or none can go on.
    if (live_ > 0 && !failure_ && !abandoned_)
      fail(simulation_error("no thread can go on: " + describe_all()));
    abandon();
    count_operations_in(nullptr);
    fibres_.shrink(idle_fibres_kept);
    if (count_progress()) ++launch.progress;
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  // What follows is called by threads while they run.

  void sync(simt_thread& me, std::source_location where) {
    arrive_at(me, simt_step::sync, where);
    simt_block_state& block = *me.block;
    if (++block.waiting < job_->shape.size) return suspend(me);
    block.waiting = 0;
    ++block.epoch;
    if (job_->check_races) block.races.sync();
    if (job_->trace) block.trace.sync();
    for (int rank = job_->shape.size; rank-- > 0;) ready_.push_front(block.threads[rank]);
    suspend(me);
  }

  void warp_sync(simt_thread& me, lane_mask mask, std::source_location where) {
    meet(me, simt_step::warp_sync, mask, where);
  }

  /// `result` gets the `bytes` bytes at `value` of the lane `source`.
  void warp_shuffle(simt_thread& me, lane_mask mask, const void* value, void* result, std::size_t bytes,
                    int source, std::source_location where) {
    if (source < 0 || source >= 64 || !(mask >> source & 1))
      throw simulation_error(report::name(me) + " shuffles from lane " + std::to_string(source) +
                             ", which is not in the mask " + report::hex(mask) + report::place(where));
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

  /// Others may now see what this thread has done: progress, for the deadlock report.
  void fence() { note_progress(); }

  void backoff(simt_thread& me, std::source_location where) {
    if (abandoned_) throw abandoned{};
    me.step = simt_step::backoff;
    me.where = where;
    const std::size_t round = ready_.size() + 1;
    if (++idle_turns_ % round == 0) after_idle_round(idle_turns_ / round);
    ready_.push_back(me);
    suspend(me);
  }

  void touch(simt_thread& me, std::uint32_t byte, std::size_t bytes, int element, access_kind kind,
             std::source_location where) {
    access_conflict conflict{};
    if (!me.block->races.access(byte, static_cast<std::uint32_t>(bytes), me.rank, kind, where, conflict))
      throw simulation_error(report::access(me, conflict, bytes, element, kind, where));
  }

  /// Counts an access to a T at `address`, in storage or memory, if the launch is traced.
  template <class T>
  void count(simt_thread& me, traced_access kind, std::uint64_t address, std::source_location where) {
    if (job_->trace) me.block->trace.access<T>(me.rank, kind, address, where);
  }

  void out_of_range(const simt_thread& me, int element, int count, std::source_location where) {
    throw simulation_error(report::name(me) + " accesses element " + std::to_string(element) +
                           " of storage of " + std::to_string(count) + " elements" + report::place(where));
  }
  void outside_storage(const simt_thread& me, std::size_t end, std::source_location where) {
    throw simulation_error(report::name(me) + " uses " + std::to_string(end) +
                           " bytes of storage, but the kernel's storage_bytes() is " +
                           std::to_string(job_->storage_bytes) + report::place(where));
  }

  const simt_job& job() const { return *job_; }

 private:
  struct abandoned {}; ///< unwinds a thread whose launch has failed

  static constexpr std::size_t idle_fibres_kept = 4096;
  static constexpr std::size_t rounds_until_deadlock = 10'000;
  static constexpr std::size_t blocks_described = 4;

  void begin(const simt_job& job, simt_launch_state& launch, int first, int count) {
    job_ = &job;
    launch_ = &launch;
    adopt_current(main_);
    random_.state = job.seed + simt_random{static_cast<std::uint64_t>(first)}();
    abandoned_ = false;
    idle_turns_ = 0;
    live_ = static_cast<std::int64_t>(count) * job.shape.size;
    ready_.clear(static_cast<std::size_t>(live_));
    blocks_.resize(larger(blocks_.size(), static_cast<std::size_t>(count)));
    block_count_ = count;
    for (int i = 0; i < count; ++i) {
      if (!blocks_[i]) blocks_[i] = std::make_unique<simt_block_state>();
      begin_block(*blocks_[i], first + i);
    }
  }

  void begin_block(simt_block_state& block, int index) {
    const block_shape shape = job_->shape;
    block.engine = this;
    block.index = index;
    block.live = shape.size;
    block.waiting = block.epoch = 0;
    block.threads.resize(shape.size);
    for (int rank = 0; rank < shape.size; ++rank) {
      simt_thread& t = block.threads[rank];
      t.block = &block;
      t.on = nullptr;
      t.rank = rank;
      t.step = simt_step::fresh;
      ready_.push_back(t);
    }
    block.waiting_lanes.assign(shape.warps(), 0);
    // The pattern stands out as float, double and int, should it be read where races are not checked.
    block.storage.resize(ceil_div(job_->storage_bytes, sizeof(storage_line)));
    if (!block.storage.empty()) std::memset(block.storage.data(), 0xFE, job_->storage_bytes);
    if (job_->check_races) block.races.begin(job_->storage_bytes, shape);
    if (job_->trace) block.trace.begin(shape);
  }

  /// Where to go on: with a thread that is ready, which gets a fibre if it has none; in run() if there is
  /// none.
  context& choose_next() {
    if (ready_.size() == 0 || abandoned_ || failure_) return main_;
    if (job_->seed != 0) ready_.bring_forward(random_.below(ready_.size()));
    simt_thread& t = ready_.pop_front();
    if (t.on) return *t.on;
    try {
      t.on = &fibres_.take();
    } catch (const std::bad_alloc&) {
      fail(device_error("no memory for stacks: " + std::to_string(live_) + " threads of " +
                        std::to_string(fibre_stack_bytes) + " bytes of stack have still to finish"));
      return main_;
    }
    t.on->thread = &t;
    return *t.on;
  }

  /// Runs the fibre's thread to its end; returns whom to go on with. Everything thrown is caught here.
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
    if (!fibre_pool::check_canary(*me.on))
      fail(simulation_error(report::name(me) + " has overflowed its stack of " +
                            std::to_string(fibre_stack_bytes) + " bytes"));
    if (failure_) launch_->failed = true;
    me.step = simt_step::finished;
    fibres_.give_back(*std::exchange(me.on, nullptr));
    --me.block->live;
    --live_;
    note_progress();
    return choose_next();
  }

  /// Lets others go on until this thread is ready and its turn has come.
  void suspend(simt_thread& me) {
    if (context& next = choose_next(); &next != me.on) switch_context(*me.on, next);
    if (abandoned_) throw abandoned{};
    go_on(me);
  }

  /// Notes that this is the thread that runs from here on.
  void go_on(simt_thread& me) {
    me.step = simt_step::running;
    if (job_->trace) count_operations_in(&me.block->trace.operations(me.rank));
  }

  /// Unwinds all threads that have begun and not finished.
  void abandon() {
    abandoned_ = true;
    for (int i = 0; live_ > 0 && i < block_count_; ++i)
      for (simt_thread& t : blocks_[i]->threads)
        if (t.on) switch_context(main_, *t.on);
  }

  template <class Error> void fail(const Error& what) {
    if (!failure_) failure_ = std::make_exception_ptr(what);
    launch_->failed = true;
  }

  void arrive_at(simt_thread& me, simt_step step, std::source_location where) {
    if (abandoned_) throw abandoned{};
    me.step = step;
    me.where = where;
    note_progress();
  }

  bool count_progress() const { return launch_->watched.load(std::memory_order_relaxed); }
  void note_progress() {
    idle_turns_ = 0;
    if (count_progress()) launch_->progress.fetch_add(1, std::memory_order_relaxed);
  }

  /// All ready threads have called backoff `rounds` times, and nobody has done anything else.
  void after_idle_round(std::size_t rounds) {
    using clock = std::chrono::steady_clock;
    bool dead = rounds >= rounds_until_deadlock;
    if (job_->may_wait_outside) {
      if (launch_->failed) {
        abandoned_ = true;
        throw abandoned{};
      }
      std::this_thread::yield();
      if (!dead) return;
      launch_->watched = true;
      if (const std::uint64_t now = launch_->progress;
          rounds == rounds_until_deadlock || now != progress_seen_) {
        progress_seen_ = now;
        stuck_since_ = clock::now();
      }
      dead = clock::now() - stuck_since_ > job_->patience;
    }
    if (dead)
      throw simulation_error("nothing but backoff in " + std::to_string(rounds) +
                             " rounds: " + describe_all());
  }

  /// Joins the lanes of `mask` that have come with the same mask; the last one does the operation for all.
  void meet(simt_thread& me, simt_step step, lane_mask mask, std::source_location where) {
    arrive_at(me, step, where);
    simt_block_state& block = *me.block;
    const int warp = me.rank / job_->shape.warp;
    const int base = warp * job_->shape.warp;
    const lane_mask mine = lane_mask{1} << (me.rank - base);
    const lane_mask present = first_lanes(smaller(job_->shape.warp, job_->shape.size - base));
    lane_mask& waiting = block.waiting_lanes[warp];
    if (!(mask & mine)) throw simulation_error(report::call_of(me, mask) + " without being in the mask");
    if (mask & ~present)
      throw simulation_error(report::call_of(me, mask) + ", but its warp has the lanes " +
                             report::hex(present) + " only");
    me.mask = mask;
    me.party = &me;
    me.joined = 0;
    for (lane_mask rest = mask & waiting; rest; rest &= rest - 1) {
      simt_thread& other = block.threads[base + std::countr_zero(rest)];
      if (other.mask != mask && !(other.mask & mine)) continue; // it waits for others, not for this lane
      if (other.mask != mask || other.step != step ||
          (step == simt_step::warp_shuffle && other.bytes != me.bytes))
        throw simulation_error(report::call_of(me, mask) + report::sizes(me, other) + " where thread " +
                               std::to_string(other.rank) + " waits for it at " + report::operation(other));
      me.party = other.party;
      break;
    }
    me.party->joined |= mine;
    waiting |= mine;
    if (me.party->joined == mask) {
      waiting &= ~mask;
      if (job_->trace) block.trace.warp_operation(warp, mask == present);
      simt_thread* lanes = &block.threads[base];
      if (step == simt_step::warp_shuffle)
        exchange_values(lanes, mask);
      else if (step == simt_step::warp_ballot)
        count_votes(lanes, mask);
      else if (job_->check_races)
        block.races.warp_sync(warp, mask, mask == present);
      if (mask == mine) {
        me.step = simt_step::running;
        return;
      }
      for (lane_mask rest = mask; rest;) {
        const int lane = 63 - std::countl_zero(rest);
        ready_.push_front(lanes[lane]);
        rest &= ~(lane_mask{1} << lane);
      }
    }
    suspend(me);
  }

  static void exchange_values(simt_thread* lanes, lane_mask mask) {
    for (lane_mask rest = mask; rest; rest &= rest - 1) {
      simt_thread& to = lanes[std::countr_zero(rest)];
      std::memcpy(to.result, lanes[to.source].value, to.bytes);
    }
  }

  static void count_votes(simt_thread* lanes, lane_mask mask) {
    lane_mask votes = 0;
    for (lane_mask rest = mask; rest; rest &= rest - 1)
      if (*static_cast<const bool*>(lanes[std::countr_zero(rest)].value)) votes |= rest & -rest;
    for (lane_mask rest = mask; rest; rest &= rest - 1)
      *static_cast<lane_mask*>(lanes[std::countr_zero(rest)].result) = votes;
  }

  /// The first few blocks that have not finished.
  std::string describe_all() const {
    std::string text;
    std::size_t unfinished = 0;
    for (int i = 0; i < block_count_; ++i) {
      if (blocks_[i]->live == 0) continue;
      if (unfinished++ < blocks_described) text += (text.empty() ? "" : "; ") + report::describe(*blocks_[i]);
    }
    if (unfinished > blocks_described)
      text += "; " + std::to_string(unfinished - blocks_described) + " more blocks";
    return text;
  }

  const simt_job* job_ = nullptr;
  simt_launch_state* launch_ = nullptr;
  context main_; ///< run() itself
  fibre_pool fibres_;
  simt_queue ready_;
  std::vector<std::unique_ptr<simt_block_state>> blocks_;
  int block_count_ = 0;   ///< of blocks_, in use
  std::int64_t live_ = 0; ///< threads that have not finished
  bool abandoned_ = false;
  std::exception_ptr failure_;
  simt_random random_;
  std::size_t idle_turns_ = 0; ///< calls of backoff since anybody did anything else
  std::uint64_t progress_seen_ = 0;
  std::chrono::steady_clock::time_point stuck_since_;
};

/// The engines of one executor that are not in use. Safe to call from several threads.
class simt_engines {
 public:
  /// Runs blocks on an engine of its own.
  void run(const simt_job& job, simt_launch_state& launch, int first, int count) {
    const auto give_back = [this](simt_engine* engine) { keep(engine); };
    const std::unique_ptr<simt_engine, decltype(give_back)> engine(take().release(), give_back);
    engine->run(job, launch, first, count);
  }
  /// How many launches there have been.
  std::uint64_t next_launch() { return launches_++; }

 private:
  std::unique_ptr<simt_engine> take() {
    {
      const std::lock_guard lock(guard_);
      if (!idle_.empty()) {
        auto taken = std::move(idle_.back());
        idle_.pop_back();
        return taken;
      }
    }
    return std::make_unique<simt_engine>();
  }
  void keep(simt_engine* engine) {
    const std::lock_guard lock(guard_);
    idle_.emplace_back(engine);
  }

  std::mutex guard_;
  std::vector<std::unique_ptr<simt_engine>> idle_;
  std::atomic<std::uint64_t> launches_{0};
};

} // namespace evenly::detail
