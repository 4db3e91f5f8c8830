// SPDX-License-Identifier: Apache-2.0
// Bounds on the number and size of a search's tasks, for the memory of task pools.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tasks/task_bench.hpp"
#include "tasks/task_workload.hpp"

namespace evenly::tasks {

struct task_bounds {
  std::int64_t longest_round = 0; ///< maximum number of tasks at one depth
  std::int64_t task_bytes = 0;
  std::int64_t max_waiting = 0; ///< maximum size of a single FIFO queue with one worker
};

/// Found by a serial breadth-first run, which needs memory for max_waiting tasks.
task_bounds bounds_of(const task_workload& workload);

/// Bytes of tasks that the method needs according to Cederman & Tsigas (2008); empty for other methods. A list needs
/// two arrays for the tasks created in a round, a queue the tasks that exist at any given time. A deque per worker
/// needs all tasks that the worker creates in its lifetime, here the maximum over all workers.
std::optional<std::int64_t> bytes_in_paper(const std::string& pool, const task_bounds& of,
                                           const task_finding& found);

} // namespace evenly::tasks
