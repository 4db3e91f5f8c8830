// SPDX-License-Identifier: Apache-2.0
// run_tasks: runs tasks that create tasks, until none is left.
//
//   const auto first = to_executor(exec, std::vector<int>{35});
//   const task_report done = run_tasks(exec, batched_stealing{}, first, fibonacci{});    // tasks/body.hpp
//   done.sum, done.run                                                                   // 9227465, 29860703
//
// Runs a persistent kernel. Its workers take tasks from the pool and call the body for each; the body may push more
// tasks.
//
// Guarantees: each task is run once, in no particular order, by any worker. The children of a task see its writes to
// memory; so do all readers after the run. Other tasks see them only through atomic operations.
//
// Synchronisation: the form that returns a report synchronises. The form with a task_workspace is asynchronous on cuda,
// except for static_list with launches; finish(exec, workspace) waits and reports.
//
// Memory: with a task_workspace, a run allocates nothing if an earlier run used as much memory.
//
// Errors: on cpu an exception of a body ends the run, and the call throws it. The functions below list the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/tasks/body.hpp"
#include "evenly/tasks/detail/task_kernel.hpp"
#include "evenly/tasks/detail/worker.hpp"
#include "evenly/tasks/pool.hpp"
#include "evenly/tasks/report.hpp"

namespace evenly::tasks {

/// Memory for consecutive runs, and the facts about the last run. Use it on one stream, and by one host thread, at a
/// time. Move-only.
class task_workspace {
 public:
  /// The facts about the last run that are known before it ends.
  struct run_facts {
    std::int64_t initial = 0;
    std::int64_t capacity = 0;
    std::int64_t shares = 1;
    std::int64_t rounds = 0;
    std::size_t bytes = 0;
    std::int64_t workers = 0;
    int stack = 0;
    int blocks = 0;
    const detail::task_control* control = nullptr; ///< null if there was nothing to run
    const worker_statistics* rows = nullptr;
    const worker_timeline* timelines = nullptr; ///< null unless the run is profiled
  };
  const run_facts& last() const { return last_; }

  /// Returns memory of `zeroed` bytes that are zero, and of `other` bytes. Called by run_tasks. Throws invalid_argument
  /// if the executor has other memory than in earlier calls.
  template <class Executor>
  std::pair<std::byte*, std::byte*> take(const Executor& exec, std::size_t zeroed, std::size_t other) {
    const std::size_t lines = ceil_div(zeroed + other, sizeof(detail::task_word));
    require(memory_.size() == 0 || where_ == memory_of(exec), [&] {
      return "the task_workspace has memory of " + memory_name(where_) + ", but the executor uses that of " +
             memory_name(memory_of(exec)) + ": use one workspace per memory";
    });
    if (memory_.size() < lines) memory_ = make_buffer<detail::task_word>(exec, lines);
    where_ = memory_of(exec);
    auto* const begin = reinterpret_cast<std::byte*>(memory_.data());
    exec.fill_zero(begin, zeroed);
    return {begin, begin + zeroed};
  }
  void note(const run_facts& facts) { last_ = facts; }
  in_use_flag& flag() { return flag_; }

 private:
  buffer<detail::task_word> memory_;
  int where_ = host_memory;
  run_facts last_;
  in_use_flag flag_;
};

} // namespace evenly::tasks

namespace evenly::detail {

/// Whether runs can be profiled: on simt always. On real processors the code of a profile costs time even if a run is
/// not profiled: stealing is 8% slower with it on a CPU.
template <class Executor, class Pool>
inline constexpr bool can_profile =
    (Executor::on_host && !Executor::serial_blocks) || tasks::is_profiled<Pool>;

template <class Executor, class Pool, class Task, class Body>
using task_kernel_for =
    task_kernel<Task, typename Pool::template view<Task>, Body, can_profile<Executor, Pool>>;

inline void check_options(const task_options& options) {
  const auto not_negative = [](std::int64_t value, const char* name) {
    require(value >= 0,
            [&] { return std::string(name) + " = " + std::to_string(value) + ": must not be negative"; });
  };
  not_negative(options.blocks, "blocks");
  not_negative(options.block_size, "block_size");
  not_negative(options.stack, "stack");
  not_negative(options.capacity.value_or(0), "capacity");
}

template <class Kernel, class Executor> int task_threads(const Executor& exec, const task_options& options) {
  if constexpr (Executor::serial_blocks)
    return 1;
  else {
    const int warp = exec.shape_of(1).warp;
    // By default a simulated GPU has a few warps: each thread costs the host a stack.
    const int own =
        Executor::on_host ? smaller(Kernel::tuned_block_size, 4 * warp) : Kernel::tuned_block_size;
    const int size = options.block_size > 0 ? options.block_size : own;
    require(size <= 32 * warp, [&] {
      return "block_size = " + std::to_string(size) + ": the workers of a block must be at most 32 warps, " +
             std::to_string(32 * warp) + " threads";
    });
    require(size % warp == 0 || size < warp, [&] {
      return "block_size = " + std::to_string(size) + ": workers must be whole warps of " +
             std::to_string(warp) + " threads";
    });
    return size;
  }
}

/// Returns the number of blocks of a run: the option, or by default the number of resident blocks.
template <class Executor, class Kernel>
int task_blocks(const Executor& exec, const Kernel& kernel, int block_size, const task_options& options) {
  const int room = resident_blocks(exec, kernel, block_size);
  if (options.blocks == 0) return room;
  const int max = Executor::on_host ? larger(room, 1024) : room;
  require(options.blocks <= max, [&] {
    return "blocks = " + std::to_string(options.blocks) + ": no more than " + std::to_string(max) +
           " can run at the same time";
  });
  return options.blocks;
}

template <class Kernel, class Executor> tasks::pool_shape shape_of_run(const Executor& exec, int block_size) {
  tasks::pool_shape shape{};
  block_shape of_block{1, 1};
  if constexpr (!Executor::serial_blocks) of_block = exec.shape_of(block_size);
  shape.workers_in_block = Kernel::workers_in(of_block);
  shape.lanes = smaller(of_block.size, of_block.warp);
  shape.width = Kernel::width_of(of_block);
  shape.growth = Kernel::growth;
  return shape;
}

/// Throws invalid_argument if a private stack of `stack` tasks is too small for a run of the kernel.
template <class Kernel> void check_stack(int stack, const tasks::pool_shape& shape) {
  const int min = shape.width + Kernel::growth + 1;
  require(stack >= min, [&] {
    return "stack = " + std::to_string(stack) + ": must be at least " + std::to_string(min) +
           ", to hold the " + std::to_string(shape.width) +
           " tasks that a worker runs at a time and those that one of them pushes";
  });
}

/// Launches the rounds of a static_list, each with as many blocks as the number of its tasks requires. Returns the
/// number of rounds.
template <class Executor, class Kernel>
std::int64_t launch_rounds(const Executor& exec, Kernel kernel, launch_shape launched,
                           const tasks::pool_shape& shape) {
  std::int64_t count = shape.initial;
  for (kernel.pool.round = 0; count > 0; ++kernel.pool.round) {
    const std::int64_t in_block = std::int64_t{shape.width} * shape.workers_in_block;
    launched.blocks = static_cast<int>(smaller<std::int64_t>(ceil_div(count, in_block), shape.blocks));
    exec.fill_zero(&kernel.pool.tails[kernel.pool.round % 3], sizeof(task_word));
    launch(exec, launched, kernel);
    std::int64_t outcome = 0;
    exec.copy_to_host(&outcome, &kernel.run.control->outcome.value, sizeof(outcome));
    exec.copy_to_host(&count, &kernel.pool.tails[kernel.pool.round % 3].value, sizeof(count));
    if (outcome != 0) break;
    count = smaller(count, kernel.pool.capacity);
  }
  return kernel.pool.round;
}

} // namespace evenly::detail

namespace evenly::tasks {

/// Runs `initial` and all tasks that bodies push. Asynchronous on cuda, except for static_list with launches.
///
/// * `pool`: a pool of tasks/registry.hpp.
/// * `initial`: a contiguous range of tasks in memory that `exec` can read.
/// * `body`: the function called for each task (tasks/body.hpp).
/// * Throws invalid_argument for invalid options. finish() reports errors of the run.
template <class Executor, task_pool Pool, class Tasks, class Body>
void run_tasks(const Executor& exec, const Pool& pool, const Tasks& initial, const Body& body,
               const task_options& options, task_workspace& memory) {
  static_assert(executor<Executor>);
  using task = std::remove_cvref_t<decltype(*std::data(initial))>;
  detail::check_task_types<task, Body>();
  using view = typename Pool::template view<task>;
  using kernel_type = detail::task_kernel_for<Executor, Pool, task, Body>;
  const in_use<EVENLY_CHECKED != 0> held(memory.flag(), "task_workspace");
  detail::check_options(options);
  require(!options.profile || detail::can_profile<Executor, Pool>, [] {
    return std::string(
        "profile = true: on cpu and cuda only the kernels of a tasks::profiled pool can be profiled");
  });
  memory.note({});
  if (std::size(initial) == 0) return;
  detail::note_parts(exec, pool, body);

  const int block_size = detail::task_threads<kernel_type>(exec, options);
  kernel_type kernel{{}, body, {}};
  kernel.run.initial = std::data(initial);
  kernel.run.count = static_cast<std::int64_t>(std::size(initial));
  kernel.run.cancel = options.cancel;
  kernel.run.stack = options.stack > 0 ? options.stack : detail::tuned_stack<task, Body>;
  pool_shape shape = detail::shape_of_run<kernel_type>(exec, block_size);
  detail::check_stack<kernel_type>(kernel.run.stack, shape);
  shape.blocks = detail::task_blocks(exec, kernel, block_size, options);
  shape.stack = kernel.run.stack;
  shape.initial = kernel.run.count;
  shape.capacity =
      options.capacity.value_or(pool.template tuned_capacity<task>(Executor::on_host, shape.workers()));

  const auto lay_out = [&](pool_memory at) {
    kernel.run.control = at.take_zeroed<detail::task_control>(1);
    kernel.run.rows = at.take_zeroed<worker_statistics>(shape.workers());
    if (options.profile || is_profiled<Pool>)
      kernel.run.timelines = at.take_zeroed<worker_timeline>(shape.workers());
    kernel.pool = pool.template make<task>(at, shape);
    return at;
  };
  const pool_memory sizes = lay_out(pool_memory());
  const auto [zeroed, other] = memory.take(exec, sizes.zeroed_bytes(), sizes.other_bytes());
  lay_out(pool_memory(zeroed, other));
  task_workspace::run_facts facts{.initial = shape.initial,
                                  .capacity = shape.capacity,
                                  .shares = view::has_shares ? shape.workers() : 1,
                                  .rounds = 0,
                                  .bytes = sizes.zeroed_bytes() + sizes.other_bytes(),
                                  .workers = shape.workers(),
                                  .stack = shape.stack,
                                  .blocks = shape.blocks,
                                  .control = kernel.run.control,
                                  .rows = kernel.run.rows,
                                  .timelines = kernel.run.timelines};
  if constexpr (requires { kernel.pool.launches; })
    if (kernel.pool.launches) {
      facts.rounds =
          detail::launch_rounds(exec, kernel, {.blocks = shape.blocks, .block_size = block_size}, shape);
      return memory.note(facts);
    }
  launch(exec, {.blocks = shape.blocks, .block_size = block_size, .co_resident = true}, kernel);
  memory.note(facts);
}

/// Waits for the last run with the workspace, and reports. Throws task_overflow if there was no room for a task, and
/// invalid_argument if a call of the body pushed more than max_children tasks.
template <class Executor> task_report finish(const Executor& exec, const task_workspace& memory) {
  const task_workspace::run_facts& facts = memory.last();
  task_report report;
  if (!facts.control) return report;
  detail::task_control control;
  exec.copy_to_host(&control, facts.control, sizeof(control));
  report.outcome = static_cast<task_outcome>(control.outcome.value);
  report.short_of = control.short_of.value;
  report.initial = facts.initial;
  report.capacity = facts.capacity;
  report.shares = facts.shares;
  report.rounds = facts.rounds;
  report.bytes = facts.bytes;
  report.stack = facts.stack;
  report.blocks = facts.blocks;
  const auto workers = static_cast<std::size_t>(facts.workers);
  report.workers = to_host(exec, std::span(facts.rows, workers));
  if (facts.timelines) report.timelines = to_host(exec, std::span(facts.timelines, workers));
  for (const worker_statistics& row : report.workers) {
    report.run += row.run;
    report.pushed += row.pushed;
    report.taken += row.taken;
    report.failed += row.failed;
    report.idle += row.idle;
    report.spins += row.spins;
    report.failed_cas += row.failed_cas;
    report.high_water = larger(report.high_water, row.high_water);
    report.sum += row.sum;
  }
  check(report);
  return report;
}

/// Runs `initial` and all tasks that bodies push, waits, and reports. Throws as run_tasks with a workspace, and finish,
/// do.
template <class Executor, task_pool Pool, class Tasks, class Body>
task_report run_tasks(const Executor& exec, const Pool& pool, const Tasks& initial, const Body& body,
                      const task_options& options = {}) {
  task_workspace memory;
  run_tasks(exec, pool, initial, body, options, memory);
  return finish(exec, memory);
}

} // namespace evenly::tasks

namespace evenly {

using tasks::task_workspace, tasks::run_tasks, tasks::finish;

} // namespace evenly
