// SPDX-License-Identifier: Apache-2.0
// How many tasks a search has at a time, and how large they are: what the memory of methods is measured by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tasks/task_bench.hpp"
#include "tasks/task_workload.hpp"

namespace evenly::tasks {

struct task_bounds {
  std::int64_t longest_round = 0; ///< tasks of a depth
  std::int64_t task_bytes = 0;
  std::int64_t max_waiting = 0; ///< in one queue for all, first in, first out, with one worker
};

/// By a serial run, breadth first; takes memory for max_waiting tasks.
task_bounds bounds_of(const task_workload& workload);

/// Bytes of tasks that need room by what Cederman & Tsigas (2008) say of the method; none where it is not theirs. Of a
/// list: two arrays for what is created in a round. Of a queue: the tasks that exist at any given time. Of a deque for
/// each worker: all that the worker creates in its lifetime, here the most that any did.
std::optional<std::int64_t> bytes_in_paper(const std::string& pool, const task_bounds& of,
                                           const task_finding& found);

} // namespace evenly::tasks
