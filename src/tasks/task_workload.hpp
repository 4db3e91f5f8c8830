// SPDX-License-Identifier: Apache-2.0
// What evenly tasks runs, as the command line says it, and its answer.
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

/// What a run is to find, and by how many tasks.
struct task_answer {
  std::uint64_t value = 0;
  std::int64_t tasks = 0;

  friend bool operator==(const task_answer&, const task_answer&) = default;
};

struct task_workload {
  std::string text; ///< as the user wrote it
  std::variant<fibonacci_workload, queens_workload, uts::parameters, chain_workload, burst_workload> what;
  bool joins = false; ///< whether tasks wait for their children, and the value is what the first one gives
};

/// Throws usage_error for what is no workload, with those that there are; and for values out of range.
task_workload parse_workload(const std::string& text);
/// Lines of help.
std::string help_on_workloads();

/// The workload without tasks, by a loop of the host. (A Fibonacci number by its recursion.)
task_answer run_serially(const task_workload& workload);
/// Known beforehand where it is published or has a formula, else by run_serially.
task_answer answer_of(const task_workload& workload);

} // namespace evenly::tasks
