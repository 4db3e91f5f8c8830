// SPDX-License-Identifier: Apache-2.0
// What `evenly study mapping` measured: plain data, to and from JSON. The rest of the study is computed from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/value.hpp"
#include "measure/measure.hpp"

namespace evenly::study {

using measure::timing;

struct study_workload {
  std::string name;  ///< what the paper calls it: the file's or the generator's name
  std::string input; ///< as it was loaded
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
  double average = 0;
  double deviation = 0;
  std::int64_t longest = 0;
  std::int64_t empty = 0;
};

/// One configuration of one schedule.
struct study_run {
  std::string workload;
  std::string op;
  std::string schedule;
  int block_size = 0; ///< 1 on cpu
  std::vector<std::pair<std::string, int>> parameters = {};
  std::optional<std::string> error = {}; ///< why there is no time
  timing time = {};
  double plan_ms = 0;
  std::int64_t threads = 0; ///< that the launches of the plan have
  std::size_t memory = 0;   ///< bytes: the plan's, workspace of carries included
  std::size_t storage = 0;  ///< most bytes of a block; 0 where not known
};

/// One experiment with parts and parameters of a schedule that has phases.
struct phase_run {
  std::string workload;
  std::string experiment;
  std::string variant;
  int block_size = 0;
  std::optional<std::string> error = {};
  timing time = {};
  std::int64_t threads = 0;
};

struct study_results {
  std::string cpu; ///< the machine's
  int cores = 0;
  std::string gpu; ///< empty where none was used
  std::string date;
  std::string commit;
  std::string executor; ///< cpu, simt or cuda
  std::string place;
  bool quick = false;
  std::vector<study_workload> workloads = {};
  std::vector<std::string> operations = {};
  std::vector<study_run> runs = {};
  std::vector<phase_run> phases = {};
};

/// One of `results`, and all but these.
json::value to_json(const study_run& run);
json::value without_runs(const study_results& results);

/// Reads files of the members that without_runs gives and `results`; others are not looked at; `-` is standard input.
/// Throws file_error if a file is missing, is something else, or has figures that cannot be measured (with their place
/// and the rule); and if several contradict each other: other executors or programs, a workload of other sizes, or the
/// same workload and operation twice.
study_results read_results(const std::vector<std::string>& paths);

} // namespace evenly::study
