// SPDX-License-Identifier: Apache-2.0
// What `evenly study reorganize` measured: plain data, to and from JSON. The rest of the study is computed from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evenly/layouts/selector.hpp"
#include "json/value.hpp"

namespace evenly::study {

/// What is known of a workload before it has run.
struct access_study_workload {
  std::string name;     ///< as the paper has it, MD; or the words
  std::string workload; ///< as evenly reorganize takes it
  std::int64_t threads = 0;
  std::int64_t references = 0; ///< of each thread
  std::int64_t elements = 0;
  std::int64_t element_bytes = 0;
  std::int64_t working_set_bytes = 0; ///< of a block, on average
  bool one_pattern = false;           ///< a thread has nothing but its references
  bool independent = false;           ///< calls do not depend on each other

  /// Figure 6. By threads: as it is printed, where T counts threads.
  layouts::paper_choice figure_6(bool by_threads = false) const;
};

/// What a run is for: layouts (all of them), change (some, where lists change more or less often), long (a loop of so
/// many iterations that choosing a layout can pay: none, the best of the experiment layouts, automatic).
struct access_study_run {
  std::string experiment;
  std::string workload; ///< its name
  std::string layout;
  int iterations = 0;
  int change_every = 0; ///< iterations; 0: never
  std::optional<std::string> error = {};
  std::optional<std::string> refusal = {};
  double run_ms = 0;
  double refresh_ms = 0;
  double build_ms = 0;
  double loop_ms = 0; ///< all iterations, with what they need
  std::int64_t plan_bytes = 0;
  std::int64_t copy_bytes = 0;
  std::int64_t footprint_bytes = 0;
  std::int64_t requests = 0;
  std::int64_t sectors = 0;
  std::string chosen = {}; ///< by automatic
  std::string why = {};

  bool is_timed() const { return !error && !refusal; }
  /// Runs that a plan serves.
  int runs_of_plan() const {
    return change_every > 0 && change_every < iterations ? change_every : iterations;
  }
};

struct access_study_results {
  std::string cpu;
  int cores = 0;
  std::string gpu; ///< empty where none was used
  std::string date;
  std::string commit;
  std::string earlier_commit; ///< of what was measured before it was resumed, where that is another
  std::string executor;       ///< cpu, simt or cuda
  std::string place;
  bool quick = false;
  std::vector<access_study_workload> workloads = {};
  std::vector<access_study_run> runs = {};

  const access_study_workload* find(const std::string& name) const;
  /// Null where there is none.
  const access_study_run* find_run(const std::string& experiment, const std::string& workload,
                                   const std::string& layout, int change_every) const;
};

/// duplicate, pad, share, share_in_parts.
std::string name_of(layouts::paper_choice choice);

json::value to_json(const access_study_run& run);
/// All but the runs.
json::value without_runs(const access_study_results& results);

/// As read_results (study/results.hpp).
access_study_results read_access_results(const std::vector<std::string>& paths);

} // namespace evenly::study
