// SPDX-License-Identifier: Apache-2.0
// How the work of a run was distributed among its workers: numbers and, of a profiled run, a timeline of groups of
// workers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evenly/tasks/report.hpp"
#include "json/value.hpp"
#include "report/table.hpp"

namespace evenly::tasks {

struct task_balance {
  static constexpr int max_rows = 16; ///< of the timeline

  std::int64_t workers = 0;
  std::int64_t tasks_min = 0; ///< tasks of one worker
  double tasks_mean = 0;
  std::int64_t tasks_max = 0;
  std::int64_t taken = 0; ///< the counts of worker_statistics, of all workers
  std::int64_t failed = 0;
  /// The counts of a profiled run.
  struct profile {
    std::int64_t spins = 0;
    std::int64_t failed_cas = 0;
    double idle = 0; ///< share of the run in which a worker has no task, mean over the workers
  };
  std::optional<profile> profiled = {};
  /// Percent of the time that consecutive workers were busy: [group of workers][part of the run]
  std::vector<std::vector<int>> busy = {};
  double ms_of_part = 0;
};

task_balance balance_of(const task_report& report);

/// A table with a row for each balance.
class balance_table {
 public:
  void add(const std::string& title, const std::optional<task_balance>& balance);
  /// Returns the lines, none without rows.
  std::string str() const { return rows_.empty() ? "" : rows_.text(); }

 private:
  report::table rows_{
      {"tasks per worker", "workers", "min", "mean", "max", "taken", "failed", "idle", "spins", "failed CAS"},
      {-24, 8, 9, 10, 9, 10, 10, 7, 10, 11}};
};

/// Adds to a result `balance`, the numbers, and of a profiled run `timeline`: {ms_of_part, busy}.
void add_balance(json::value& result, const std::optional<task_balance>& balance, bool with_timeline = true);

} // namespace evenly::tasks
