// SPDX-License-Identifier: Apache-2.0
// evenly tasks: searches whose answers are known under every pool, checked, then timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/bench.hpp"
#include "tasks/task_workload.hpp"

namespace evenly::tasks {

using measure::bench_options, measure::executor_kind;

struct tasks_options {
  task_workload workload;
  std::vector<std::string> pools;        ///< by name; none: all, and what they are compared with
  std::optional<executor_kind> executor; ///< none: cuda, or cpu without a GPU
  std::string json;                      ///< a file's path, `-` for standard output, empty for none
  std::string report;                    ///< likewise: a page of HTML
  int repeat = 0;                        ///< 0: as often as is needed
  int blocks = 0;                        ///< 0: as many as run at the same time
  bench_options bench;
};

std::vector<std::string> pool_names();

/// Prints the table of times; writes JSON, if it is asked for, also of a part. Returns whether all results were right.
/// Throws evenly::error.
bool time_tasks(const tasks_options& options);

} // namespace evenly::tasks
