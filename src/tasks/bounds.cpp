// SPDX-License-Identifier: Apache-2.0
#include "tasks/bounds.hpp"

#include <cstdint>
#include <iterator>
#include <variant>
#include <vector>

#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "tasks/pools.hpp"

namespace evenly::tasks {
namespace {

/// A team of one thread, for bodies of every form.
struct one_thread {
  static constexpr int rank() { return 0; }
  static constexpr int size() { return 1; }
  static constexpr bool has_task() { return true; }
  static constexpr bool any(bool predicate) { return predicate; }
};

/// Collects the pushed tasks for the next round.
template <class Task> struct round_sink {
  std::vector<Task>& next;

  void push(const Task& task) { next.push_back(task); }
  template <class... More> void push(bool has, const Task& task, const More&... more) {
    if (has) next.insert(next.end(), {task, static_cast<Task>(more)...});
  }
  static void add(std::uint64_t) {}
};

template <class Task, class Body> task_bounds bounds_of(std::vector<Task> round, const Body& body) {
  task_bounds found{.task_bytes = sizeof(Task)};
  std::vector<Task> next;
  for (; !round.empty(); round.swap(next)) {
    found.longest_round = larger(found.longest_round, std::ssize(round));
    next.clear();
    round_sink<Task> sink{next};
    one_thread alone;
    for (std::int64_t i = 0; i < std::ssize(round); ++i) {
      found.max_waiting = larger(found.max_waiting, std::ssize(round) - i + std::ssize(next));
      body(alone, round[static_cast<std::size_t>(i)], sink);
    }
  }
  return found;
}

} // namespace

task_bounds bounds_of(const task_workload& workload) {
  device_workload<cpu> placed{cpu(1), {}};
  task_bounds found;
  std::visit(
      [&](const auto& what) {
        placed(what, [&](const auto& first, const auto& body, bool) { found = bounds_of(first, body); });
      },
      workload.what);
  return found;
}

std::optional<std::int64_t> bytes_in_paper(const std::string& pool, const task_bounds& of,
                                           const task_finding& found) {
  std::int64_t tasks = 0;
  if (pool.starts_with("static_list"))
    tasks = 2 * of.longest_round;
  else if (pool == "blocking_queue" || pool == "lock_free_queue")
    tasks = of.max_waiting;
  else if (pool == "stealing")
    tasks = found.workers * found.max_pushed;
  else
    return {};
  return tasks * of.task_bytes;
}

} // namespace evenly::tasks
