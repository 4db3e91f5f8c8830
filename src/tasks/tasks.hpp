// SPDX-License-Identifier: Apache-2.0
// evenly tasks: searches with known answers under every pool, checked, then timed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/bench.hpp"
#include "tasks/pool_settings.hpp"
#include "tasks/task_workload.hpp"

namespace evenly::tasks {

using measure::bench_options, measure::executor_kind;

struct tasks_options {
  task_workload workload;
  std::vector<std::string> pools;        ///< names; empty: all, and the baselines
  std::optional<executor_kind> executor; ///< default: cuda, or cpu without a GPU
  std::string json;                      ///< path of a file, `-` for standard output, empty for none
  std::string report;                    ///< likewise, for an HTML page
  int repeat = 0;                        ///< 0: until the times settle
  int blocks = 0;                        ///< 0: as many as run at the same time
  pool_settings settings;
  bench_options bench;
};

std::vector<std::string> pool_names();

/// Prints the table of times and writes JSON if requested, even of partial results. Returns whether all results are
/// correct. Throws evenly::error.
bool time_tasks(const tasks_options& options);

} // namespace evenly::tasks
