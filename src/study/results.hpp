// SPDX-License-Identifier: Apache-2.0
// The measurements of `evenly study mapping` as plain data, and their JSON. The rest of the study is derived from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "measure/measure.hpp"
#include "study/study_file.hpp"

namespace evenly::study {

using measure::timing;

struct study_workload {
  std::string name;  ///< the name in the paper: that of the file or the generator
  std::string input; ///< the text of the input
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
  std::int64_t threads = 0; ///< threads of all launches of the plan
  std::size_t memory = 0;   ///< bytes of the plan, including the workspace of carries
  std::size_t storage = 0;  ///< maximum bytes per block; 0 if unknown
};

/// One experiment with the stages and parameters of a schedule with phases.
struct phase_run {
  std::string workload;
  std::string experiment;
  std::string variant;
  int block_size = 0;
  std::optional<std::string> error = {};
  timing time = {};
  std::int64_t threads = 0;
};

struct study_results : study_head {
  std::vector<study_workload> workloads = {};
  std::vector<std::string> operations = {};
  std::vector<study_run> runs = {};
  std::vector<phase_run> phases = {};
};

std::string identity(const study_workload& w);
std::string identity(const study_run& r);
std::string identity(const phase_run& r);
void fields(record& io, study_workload& w);
void fields(record& io, study_run& r);
void fields(record& io, phase_run& r);
void fields(record& io, study_results& all); ///< writes everything except the runs
void merge(const study_file& file, study_results& all, study_results more);

} // namespace evenly::study
