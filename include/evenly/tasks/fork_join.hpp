// SPDX-License-Identifier: Apache-2.0
// run_fork_join: runs tasks that wait for their children. A parent resumes when these are done, with their results.
//
//   const auto first = to_executor(exec, std::vector<int>{35});
//   auto number = make_buffer<std::uint64_t>(exec, 1);
//   const join_report done = run_fork_join(exec, batched_stealing{}, first, fibonacci{}, number.span());
//   to_host(exec, number)[0], done.run            // 9227465, 29860703; fibonacci is in tasks/joining.hpp
//
// It works under any pool of run_tasks, with the same order, synchronisation and errors (tasks/run_tasks.hpp).
//
// Memory: a waiting task is a frame in memory, not a thread (detail/join_body.hpp). A task that joins holds a frame
// until its children and its continuation have given their values. So a run needs as many frames as tasks wait at the
// same time:
// * in a pool that is last in, first out: the depth of the tree for each task that runs
// * with rounds or a queue: possibly as many as there are tasks with children
//
// If frames run short, workers proceed depth-first. If that does not suffice, the run ends with frame_overflow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/primitives/tabulate.hpp"
#include "evenly/tasks/detail/join_body.hpp"
#include "evenly/tasks/detail/task_kernel.hpp"
#include "evenly/tasks/joining.hpp"
#include "evenly/tasks/pool.hpp"
#include "evenly/tasks/report.hpp"
#include "evenly/tasks/run_tasks.hpp"

namespace evenly::tasks {

/// The options of run_fork_join.
struct join_options : task_options { ///< capacity and stack count tasks and ready continuations
  std::int64_t frames = 0; ///< frames of waiting tasks; 0: 256 MiB of them on the host, 512 MiB on a GPU
};

/// The counts of a run. Calls of the body count as tasks; calls of resume are counted separately. high_water counts
/// both.
struct join_report : task_report {
  std::int64_t resumed = 0;     ///< calls of resume
  std::int64_t deferred = 0;    ///< how often a task was returned to the pool because no frame was free
  std::int64_t frames = 0;      ///< frames of the run
  std::int64_t frames_used = 0; ///< frames that were used at least once, or were in the lists of workers
};

/// A task joined, but there was no free frame.
class frame_overflow : public error {
 public:
  explicit frame_overflow(const join_report& report)
      : error("no free frame for a waiting task after " + std::to_string(report.run) + " were run: all " +
              std::to_string(report.frames) +
              " frames are in use or in the lists of workers: increase frames in join_options"),
        run(report.run), frames(report.frames) {}

  std::int64_t run;    ///< tasks that were run
  std::int64_t frames; ///< frames of the run
};

/// Memory for consecutive runs, like a task_workspace. Move-only.
class join_workspace {
 public:
  /// Used by run_fork_join and finish.
  task_workspace tasks, frames;
  detail::frame_pool pool{};
  std::size_t bytes = 0; ///< of frames
};

} // namespace evenly::tasks

namespace evenly::detail {

template <class Frame> constexpr std::int64_t tuned_frames(bool on_host) {
  return tasks::tasks_in<Frame>(on_host ? 256 << 20 : 512 << 20);
}

/// Makes the entry of each initial task.
template <class T> struct initial_entry {
  const T* tasks;
  std::uint32_t roots;
  EVENLY_FN join_entry<T> operator()(std::int64_t i) const {
    return {tasks[i], roots + static_cast<std::uint32_t>(i)};
  }
};

/// Returns the encoding of where values go, and the number of frames in `frames`. Throws invalid_argument for too many.
template <class Frame>
join_places places_of(const tasks::join_options& options, int max_children, bool on_host,
                      std::int64_t initial, std::int64_t& frames) {
  join_places places{join_places::bits_for(max_children), 0};
  const std::int64_t max = (join_places::no_place - initial) >> places.slot_bits;
  require(options.frames >= 0,
          [&] { return "frames = " + std::to_string(options.frames) + ": must not be negative"; });
  require(max > 0 && options.frames <= max, [&] {
    return "frames = " + std::to_string(options.frames) + ": must be at most " +
           std::to_string(larger<std::int64_t>(max, 0)) + " with " + std::to_string(max_children) +
           " children and " + std::to_string(initial) + " initial tasks";
  });
  frames = options.frames > 0 ? options.frames : smaller(tuned_frames<Frame>(on_host), max);
  places.roots = static_cast<std::uint32_t>(frames << places.slot_bits);
  return places;
}

/// Sets the number of blocks of the run. Returns the number of workers, and of the threads of each.
template <class Kernel, class Entry, class Body, class Executor>
std::pair<std::int64_t, int> workers_of_run(const Executor& exec, const Body& body, task_options& options) {
  check_options(options);
  const int block_size = task_threads<Kernel>(exec, options);
  Kernel kernel{{}, body, {}};
  kernel.run.stack = options.stack > 0 ? options.stack : tuned_stack<Entry, Body>;
  tasks::pool_shape shape = shape_of_run<Kernel>(exec, block_size);
  options.blocks = shape.blocks = task_blocks(exec, kernel, block_size, options);
  return {shape.workers(), shape.lanes};
}

} // namespace evenly::detail

namespace evenly::tasks {

/// Runs `initial` and all tasks that bodies push, and stores the value of each initial task. Asynchronous on cuda,
/// except for static_list with launches.
///
/// * `pool`: a pool of tasks/registry.hpp.
/// * `initial`: a contiguous range of tasks in memory that `exec` can read.
/// * `body`: the function called for each task, and for each continuation (tasks/joining.hpp).
/// * `results`: a contiguous range of Body::result in memory that `exec` can write. It has the size of `initial`:
///   results[i] receives the value of initial[i].
/// * Throws invalid_argument for invalid options. finish() reports errors of the run.
template <class Executor, task_pool Pool, class Tasks, class Body, class Results>
void run_fork_join(const Executor& exec, const Pool& pool, const Tasks& initial, const Body& body,
                   Results&& results, const join_options& options, join_workspace& memory) {
  using task = std::remove_cvref_t<decltype(*std::data(initial))>;
  static_assert(detail::joining_types<task, Body>::are_right);
  using joined_body = detail::join_body<task, Body>;
  using entry = typename joined_body::entry;
  using kernel = detail::task_kernel_for<Executor, Pool, entry, joined_body>;
  const auto count = static_cast<std::int64_t>(std::size(initial));
  require(static_cast<std::int64_t>(std::size(results)) == count, [&] {
    return std::to_string(std::size(results)) + " results for " + std::to_string(count) +
           " initial tasks: the numbers must be equal";
  });
  detail::note_parts(exec, pool, body);

  joined_body what{{}, body, {}, nullptr, std::data(results), {}};
  std::int64_t frames = 0;
  what.places = detail::places_of<typename joined_body::frame>(options, detail::max_children<Body>,
                                                               Executor::on_host, count, frames);
  task_options given = options;
  const auto [workers, lanes] = detail::workers_of_run<kernel, entry>(exec, what, given);
  entry* entries = nullptr;
  const auto lay_out = [&, all = workers, width = lanes](pool_memory at) {
    what.pool = detail::frame_pool::make(at, frames, all, width);
    what.frames = at.take<typename joined_body::frame>(frames);
    entries = at.take<entry>(count);
    return at;
  };
  if (count == 0) return memory.tasks.note({});
  const pool_memory sizes = lay_out(pool_memory());
  const auto [zeroed, other] = memory.frames.take(exec, sizes.zeroed_bytes(), sizes.other_bytes());
  lay_out(pool_memory(zeroed, other));
  memory.pool = what.pool;
  memory.bytes = sizes.zeroed_bytes() + sizes.other_bytes();

  tabulate(exec, count, detail::initial_entry<task>{std::data(initial), what.places.roots}, entries);
  run_tasks(exec, pool, std::span<const entry>(entries, static_cast<std::size_t>(count)), what, given,
            memory.tasks);
}

/// Waits for the last run with the workspace, and reports. Throws
/// * task_overflow if there was no room for a task
/// * frame_overflow if there was no frame for a task that joins
/// * invalid_argument if a call of the body pushed more than max_children tasks
template <class Executor> join_report finish(const Executor& exec, const join_workspace& memory) {
  join_report report;
  static_cast<task_report&>(report) = finish(exec, memory.tasks);
  report.bytes += memory.bytes;
  report.frames = memory.pool.frames;
  if (!memory.tasks.last().control) return report;
  detail::frame_pool::shared_words words;
  exec.copy_to_host(&words, memory.pool.words, sizeof(words));
  report.frames_used = smaller(words.begun.value, report.frames);
  const std::span<const detail::frame_pool::row> rows(memory.pool.rows, report.workers.size());
  auto worker = report.workers.begin();
  for (const detail::frame_pool::row& row : to_host(exec, rows)) { // entries that are no tasks
    worker->run -= static_cast<std::int64_t>(row.resumed + row.deferred);
    worker->pushed -= static_cast<std::int64_t>(row.readied + row.deferred);
    ++worker;
    report.run -= static_cast<std::int64_t>(row.resumed + row.deferred);
    report.pushed -= static_cast<std::int64_t>(row.readied + row.deferred);
    report.resumed += static_cast<std::int64_t>(row.resumed);
    report.deferred += static_cast<std::int64_t>(row.deferred);
  }
  const auto failure = static_cast<detail::join_failure>(words.failure.value);
  if (failure == detail::join_failure::no_frame) throw frame_overflow(report);
  if (failure == detail::join_failure::too_many) report.outcome = task_outcome::too_many;
  check(report);
  return report;
}

/// Runs `initial` and all tasks that bodies push, waits, and reports. Throws as run_fork_join with a workspace, and
/// finish, do.
template <class Executor, task_pool Pool, class Tasks, class Body, class Results>
join_report run_fork_join(const Executor& exec, const Pool& pool, const Tasks& initial, const Body& body,
                          Results&& results, const join_options& options = {}) {
  join_workspace memory;
  run_fork_join(exec, pool, initial, body, results, options, memory);
  return finish(exec, memory);
}

} // namespace evenly::tasks

namespace evenly {

using tasks::join_options, tasks::join_report, tasks::join_workspace, tasks::run_fork_join, tasks::finish;

} // namespace evenly
