// SPDX-License-Identifier: Apache-2.0
// task_worker: a worker as one of its lanes sees it, with its counts and the data that all workers of a run share.
//
// `tokens` are counted exactly, for all workers. A queue has at least one token for each task that is not done. A pool
// whose workers keep tasks has one for each block with work, and one for each gift under way. A worker adds a token
// before others can see its task or gift. The memory of a run is filled with zeros, so a count that begins with n is
// stored as the difference to n.
#pragma once

#include <chrono>
#include <cstdint>

#include "evenly/block/team.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/tasks/report.hpp"

namespace evenly::detail {

/// A word on its own cache line.
struct alignas(grid_barrier::line) task_word {
  std::int64_t value;
};

/// The data that all workers of a run share. Zero at first.
struct task_control {
  task_word tokens;
  task_word begun;    ///< initial tasks taken by workers, without those with which each begins
  task_word outcome;  ///< a task_outcome
  task_word short_of; ///< of an overflow: the maximum number of tasks for which a worker had no room
};

/// A run as kernels see it.
template <class Task> struct task_run {
  task_control* control = nullptr;
  tasks::worker_statistics* rows = nullptr; ///< of workers; zero at first
  const Task* initial = nullptr;
  std::int64_t count = 0; ///< of initial tasks
  std::uint32_t* cancel = nullptr;
  int stack = 0;                               ///< tasks of a private stack
  tasks::worker_timeline* timelines = nullptr; ///< of workers; zero at first; null unless the run is profiled
};

/// Returns nanoseconds since an unspecified time.
EVENLY_FN inline std::int64_t task_clock() {
#if defined(__CUDA_ARCH__)
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return static_cast<std::int64_t>(now);
#else
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
#endif
}

/// `Profiled`: can count and record what only profiled runs do. That costs registers.
/// `RunsLong`: bodies take longer than a gift of tasks.
template <class T, class Block, bool Profiled = false, bool RunsLong = false> class task_worker {
 public:
  using task = T;
  static constexpr bool is_profiled = Profiled;
  static constexpr bool runs_long = RunsLong;

  /// `width`: the number of tasks that it runs at a time. `in_block`: its number in the block, below `of_block`.
  EVENLY_FN task_worker(Block& of, const task_run<T>& what, int width_, int in_block_, int of_block_)
      : block(of), warp(this_warp(of)), run(what), width(width_), in_block(in_block_), of_block(of_block_) {}

  Block& block;
  lanes<Block> warp;
  const task_run<T>& run;
  int width;
  int in_block;
  int of_block;
  std::int64_t ran = 0, pushed = 0, taken = 0, failed = 0, idle = 0;
  int high_water = 0;
  std::uint64_t sum = 0; ///< each lane's own

  EVENLY_INLINE_FN int index() const { return block.index() * of_block + in_block; }
  EVENLY_INLINE_FN int count() const { return block.count() * of_block; }
  EVENLY_INLINE_FN bool leads() const { return warp.rank() == 0; }
  /// Returns the first lane's value to all lanes.
  template <class Value> EVENLY_INLINE_FN Value broadcast(Value value) const {
    return warp.shuffle(value, 0);
  }

  /// Returns whether the run ends before its tasks are done. Called by all lanes. Worker 0 reads the host's cancel flag
  /// for all workers.
  EVENLY_INLINE_FN bool stopped() const {
    int stop = 0;
    if (leads()) {
      const atomic_ref outcome(run.control->outcome.value);
      stop = outcome.load(order::relaxed{}) != 0;
      if (stop == 0 && run.cancel && index() == 0 &&
          atomic_ref(*run.cancel, scope::system{}).load(order::relaxed{}) != 0) {
        end(tasks::task_outcome::cancelled);
        stop = 1;
      }
    }
    return broadcast(stop) != 0;
  }
  /// Ends the run; the first reason is kept. Called by any lane.
  EVENLY_INLINE_FN void end(tasks::task_outcome why) const {
    std::int64_t none = 0;
    atomic_ref(run.control->outcome.value)
        .compare_exchange(none, static_cast<std::int64_t>(why), order::relaxed{});
  }
  /// Ends the run because there is no room for `tasks` tasks. Called by any lane.
  EVENLY_INLINE_FN void overflow(std::int64_t tasks) const {
    atomic_ref(run.control->short_of.value).fetch_max(tasks, order::relaxed{});
    end(tasks::task_outcome::overflow);
  }

  /// Puts initial tasks on the stack, which is empty: first those of this worker, later those that no worker has taken
  /// yet. Returns their number. Called by all lanes.
  template <class Stack> EVENLY_INLINE_FN int take_initial(Stack& stack) {
    const std::int64_t all_begin = std::int64_t{count()} * width;
    std::int64_t first = std::int64_t{index()} * width;
    if (has_begun_) {
      if (run.count <= all_begin) return 0;
      if (leads()) {
        const atomic_ref begun(run.control->begun.value);
        first = begun.load(order::relaxed{});
        if (all_begin + first < run.count) first = begun.fetch_add(width, order::relaxed{});
      }
      first = all_begin + broadcast(first);
    }
    has_begun_ = true;
    if (first >= run.count) return 0;
    const int taking = static_cast<int>(smaller<std::int64_t>(width, run.count - first));
    for (int i = warp.rank(); i < taking; i += warp.size()) stack.store(i, run.initial[first + i]);
    stack.hold(taking);
    warp.sync();
    return taking;
  }

  /// Count a pause in a waiting loop, and a compare-and-swap that failed, if the run is profiled. They go to memory, so
  /// that the counts need no registers. Called by any lane.
  EVENLY_INLINE_FN void note_spin() const { count_in_row(&tasks::worker_statistics::spins); }
  EVENLY_INLINE_FN void note_failed_cas() const { count_in_row(&tasks::worker_statistics::failed_cas); }
  /// Counts the time since a clock value as idle. Called by all lanes.
  EVENLY_INLINE_FN void note_idle(std::int64_t since) {
    const std::int64_t now = task_clock();
    idle += now - since;
    if constexpr (Profiled)
      if (run.timelines && leads()) run.timelines[index()].add_idle(since, now);
  }
  /// Begins the timeline, or continues that of an earlier launch. Called by one lane of the worker.
  EVENLY_INLINE_FN void begin_timeline() const {
    if constexpr (Profiled) {
      if (!run.timelines) return;
      tasks::worker_timeline& mine = run.timelines[index()];
      if (mine.begin == 0)
        mine.begin = task_clock();
      else
        mine.add_idle(mine.end, task_clock());
    }
  }

  EVENLY_INLINE_FN void note_high_water(int tasks) { high_water = larger(high_water, tasks); }

  /// Adds the counts to the worker's row. Called by all lanes. If the worker is a block, its other warps add only
  /// `sum`.
  EVENLY_INLINE_FN void write_row(bool has_counts) {
    const std::uint64_t total = warp.shuffle(warp.scan(sum, plus<std::uint64_t>{}), warp.size() - 1);
    if (!leads()) return;
    tasks::worker_statistics& row = run.rows[index()];
    atomic_ref(row.sum).fetch_add(total, order::relaxed{});
    if (!has_counts) return;
    row.run += ran;
    row.pushed += pushed;
    row.taken += taken;
    row.failed += failed;
    row.idle += idle;
    row.high_water = larger<std::int64_t>(row.high_water, high_water);
    if constexpr (Profiled)
      if (run.timelines) run.timelines[index()].end = task_clock();
  }

 private:
  EVENLY_INLINE_FN void count_in_row(std::int64_t tasks::worker_statistics::* count) const {
    if constexpr (Profiled)
      if (run.timelines) atomic_ref(run.rows[index()].*count).fetch_add(1, order::relaxed{});
  }

  bool has_begun_ = false;
};

} // namespace evenly::detail
