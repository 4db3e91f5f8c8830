// SPDX-License-Identifier: Apache-2.0
// Options and reports of a run of tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"

namespace evenly::tasks {

/// The options of run_tasks.
struct task_options {
  int blocks = 0; ///< 0: the number of resident blocks; on a GPU that is the maximum
  int block_size =
      0; ///< threads of a block, up to 32 warps; 0: the body's choice. cuda is compiled for that size only
  int stack = 0;                        ///< tasks of a worker's private stack; 0: depends on their size
  std::optional<std::int64_t> capacity; ///< tasks in the pool's memory; none: the pool's default
  std::uint32_t* cancel = nullptr;      ///< readable by the executor, system scope; nonzero ends the run
  /// Whether the run counts spins and failed_cas and records timelines. On cpu and cuda only tasks::profiled pools do.
  bool profile = false;
};

/// The counts of one worker.
struct worker_statistics {
  std::int64_t run = 0;    ///< calls of the body
  std::int64_t pushed = 0; ///< tasks that these calls pushed
  std::int64_t taken =
      0; ///< tasks taken: from a list (static_list), from other workers (stealing), from the queue
  std::int64_t failed = 0;     ///< unsuccessful attempts to take a task
  std::int64_t idle = 0;       ///< nanoseconds without a task
  std::int64_t high_water = 0; ///< maximum number of tasks in its own memory at a time
  std::uint64_t sum = 0;       ///< of the arguments of sink.add, modulo 2^64
  std::int64_t spins = 0;      ///< pauses in loops that wait for another worker; 0 unless profiled
  std::int64_t failed_cas = 0; ///< compare-and-swaps that failed because of another worker; 0 unless profiled
};

/// The idle time of one worker, in `parts` intervals of equal length. The length doubles when the run outlasts them.
struct worker_timeline {
  static constexpr int parts = 64;
  static constexpr int shift_at_first = 10; ///< binary logarithm of the first length in nanoseconds

  std::int64_t begin = 0; ///< nanoseconds since a time that all workers share
  std::int64_t end = 0;
  std::int64_t doublings = 0;
  std::int64_t idle[parts] = {}; ///< nanoseconds without a task

  EVENLY_FN std::int64_t part_length() const { return std::int64_t{1} << (shift_at_first + doublings); }

  /// Adds the time between two clock values. Called by one thread at a time.
  EVENLY_FN void add_idle(std::int64_t from, std::int64_t to) {
    from -= begin, to -= begin;
    while (to > parts * part_length()) {
      for (int part = 0; part < parts; ++part)
        idle[part] = part < parts / 2 ? idle[2 * part] + idle[2 * part + 1] : 0;
      ++doublings;
    }
    while (from < to) {
      const std::int64_t part = from >> (shift_at_first + doublings), next = (part + 1) * part_length();
      const std::int64_t until = next < to ? next : to;
      idle[part] += until - from;
      from = until;
    }
  }
};

/// How a run ended.
enum class task_outcome {
  complete,  ///< every task was run
  cancelled, ///< by the host or a body
  overflow,  ///< there was no room for a task
  too_many   ///< a call pushed more than its body's max_children
};

struct task_report : worker_statistics { ///< of all workers: sums, and the greatest high_water
  task_outcome outcome = task_outcome::complete;
  std::int64_t initial = 0;
  std::int64_t capacity = 0; ///< tasks in the pool's memory
  std::int64_t shares = 1;   ///< parts of the capacity: one per worker if workers keep their tasks
  std::int64_t short_of = 0; ///< after an overflow: tasks for which a worker had no room
  std::int64_t rounds = 0;   ///< rounds of a static_list
  std::size_t bytes = 0;     ///< memory of the run
  int stack = 0;             ///< tasks of a private stack
  int blocks = 0;
  std::vector<worker_statistics> workers;
  std::vector<worker_timeline> timelines; ///< of workers, if the run was profiled

  /// Returns the number of tasks that were not run: 0 if the run is complete.
  std::int64_t left() const { return initial + pushed - run; }
};

/// There was no room for a task, neither in the pool nor on its worker's private stack. Either the pool was full, or
/// the threads of a warp pushed more tasks at once than a stack holds.
class task_overflow : public error {
 public:
  explicit task_overflow(const task_report& report)
      : error("no room for " + std::to_string(report.short_of) + " tasks after " +
              std::to_string(report.run) + " were run: " + std::to_string(report.left()) + " were left; " +
              (needs_stack(report) ? text_on_stack(report) : text_on_pool(report)) + " is enough for these"),
        run(report.run), needed(capacity_for(report)),
        needed_stack(needs_stack(report) ? report.short_of : report.stack) {}

  std::int64_t run; ///< tasks that were run
  std::int64_t
      needed; ///< a capacity that would have sufficed so far: the given one if the stack was too small
  std::int64_t needed_stack; ///< likewise a stack

 private:
  static bool needs_stack(const task_report& report) { return report.short_of > report.stack; }
  /// At least twice the given capacity, so that following the advice repeatedly reaches any size in few runs.
  static std::int64_t capacity_for(const task_report& report) {
    if (needs_stack(report)) return report.capacity;
    const std::int64_t missing = (report.left() + report.short_of) * report.shares;
    return report.capacity + (missing > report.capacity ? missing : report.capacity);
  }
  static std::string text_on_stack(const task_report& report) {
    return "they were pushed at once, and a stack has room for " + std::to_string(report.stack) +
           "; a stack of " + std::to_string(report.short_of);
  }
  static std::string text_on_pool(const task_report& report) {
    return "the pool, with room for " + std::to_string(report.capacity) +
           ", is full, and so is a stack, with room for " + std::to_string(report.stack) +
           "; a capacity of " + std::to_string(capacity_for(report));
  }
};

/// Throws task_overflow or invalid_argument if the run failed.
inline void check(const task_report& report) {
  if (report.outcome == task_outcome::overflow) throw task_overflow(report);
  require(report.outcome != task_outcome::too_many, [&] {
    return "a body pushed more tasks than its max_children, after " + std::to_string(report.run) +
           " were run: increase max_children";
  });
}

} // namespace evenly::tasks

namespace evenly {

using tasks::task_options, tasks::task_report;

} // namespace evenly
