// SPDX-License-Identifier: Apache-2.0
// The workloads of evenly tasks as the command line names them, and their answers.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "tasks/uts.hpp"

namespace evenly::tasks {

struct fibonacci_workload {
  int n;
};
struct queens_workload {
  int n;
};
struct chain_workload {
  std::int64_t length;
};
struct burst_workload {
  std::int64_t count;
};

/// The expected result and number of tasks.
struct task_answer {
  std::uint64_t value = 0;
  std::int64_t tasks = 0;

  friend bool operator==(const task_answer&, const task_answer&) = default;
};

struct task_workload {
  std::string text; ///< the user's spelling
  std::variant<fibonacci_workload, queens_workload, uts::parameters, chain_workload, burst_workload> what;
  bool joins = false; ///< tasks wait for their children, and the value is the result of the first task
};

/// Throws usage_error for an unknown workload, with a list of all, and for values out of range.
task_workload parse_workload(const std::string& text);
/// Lines of help.
std::string help_on_workloads();

/// Runs the workload without tasks, as a loop on the host (a Fibonacci number recursively).
task_answer run_serially(const task_workload& workload);
/// The published answer or a formula if there is one, else by run_serially.
task_answer answer_of(const task_workload& workload);

} // namespace evenly::tasks
