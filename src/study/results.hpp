// SPDX-License-Identifier: Apache-2.0
// The measurements of `evenly study mapping` as plain data, and their JSON. The rest of the study is derived from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evenly/trace/counts.hpp"
#include "measure/measure.hpp"
#include "study/dynamic_parallelism.hpp"
#include "study/study_file.hpp"

namespace evenly::study {

using measure::middle_half, measure::timing;

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
  middle_half middle = {};              ///< of the rounds; 0 if there was one
  std::optional<timing> with_plan = {}; ///< of a plan and its run together
  middle_half with_plan_middle = {};
  double plan_ms = 0;       ///< the first plan, which includes the first use of memory
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
  middle_half middle = {};
  std::int64_t threads = 0;
  int registers = 0;        ///< of a thread; 0: unknown
  int spilled = 0;          ///< bytes of a thread in local memory
  std::int64_t storage = 0; ///< bytes of a block
};

/// What one run of a technique did on the simulated GPU, without its plan.
struct counted_run {
  std::string tiles_name; ///< one of counted_inputs()
  std::string schedule;
  std::optional<std::string> error = {};
  std::int64_t tiles = 0;
  std::int64_t atoms = 0;
  std::int64_t longest = 0;
  int block_size = 0;
  int blocks = 0;
  std::size_t memory = 0;        ///< bytes of the plan
  std::int64_t longest_warp = 0; ///< most requests of a warp, to memory and shared memory
  trace_counts counts = {};
};

struct study_results : study_head {
  std::vector<study_workload> workloads = {};
  std::vector<std::string> operations = {};
  std::vector<study_run> runs = {};
  std::vector<phase_run> phases = {};
  std::vector<counted_run> counted = {}; ///< on simt only
  std::vector<dynamic_run> dynamic_parallelism = {};
  bool sizes_compiled = false; ///< whether all block sizes have kernels of their own
};

std::string identity(const study_workload& w);
std::string identity(const study_run& r);
std::string identity(const phase_run& r);
std::string identity(const counted_run& r);
void fields(record& io, study_workload& w);
void fields(record& io, study_run& r);
void fields(record& io, phase_run& r);
void fields(record& io, counted_run& r);
void fields(record& io, study_results& all); ///< writes everything except the runs
void merge(const study_file& file, study_results& all, study_results more);

} // namespace evenly::study
