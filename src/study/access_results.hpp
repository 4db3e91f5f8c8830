// SPDX-License-Identifier: Apache-2.0
// The measurements of `evenly study reorganize` as plain data, and their JSON. The rest of the study is derived from
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evenly/layouts/choice/selector.hpp"
#include "study/study_file.hpp"

namespace evenly::study {

/// Properties of a workload that do not depend on a run.
struct access_study_workload {
  std::string name;     ///< the name in the paper, such as MD, or the text of the workload
  std::string workload; ///< the text for evenly reorganize
  std::int64_t threads = 0;
  std::int64_t references = 0; ///< per thread
  std::int64_t elements = 0;
  std::int64_t element_bytes = 0;
  std::int64_t working_set_bytes = 0; ///< average per block
  bool one_pattern = false;           ///< threads have no data besides their references
  bool independent = false;           ///< calls do not depend on each other

  /// Figure 6. `by_threads`: as printed, with T as the number of threads.
  layouts::paper_choice figure_6(bool by_threads = false) const;
};

/// experiment: layouts (all layouts), change (some layouts, for several intervals of changes), or long (none, automatic
/// and the best of the experiment layouts, in a loop long enough for the choice of a layout to pay off).
struct access_study_run {
  std::string experiment;
  std::string workload; ///< name of the workload
  std::string layout;
  int iterations = 0;
  int change_every = 0; ///< interval in iterations; 0: never
  std::optional<std::string> error = {};
  std::optional<std::string> refusal = {};
  double run_ms = 0;
  double refresh_ms = 0;
  double build_ms = 0;
  double loop_ms = 0; ///< all iterations including plans and copies
  std::int64_t plan_bytes = 0;
  std::int64_t copy_bytes = 0;
  std::int64_t footprint_bytes = 0;
  std::int64_t requests = 0;
  std::int64_t sectors = 0;
  std::string chosen = {}; ///< by automatic
  std::string why = {};

  bool is_timed() const { return !error && !refusal; }
  /// The number of runs per plan.
  int runs_of_plan() const {
    return change_every > 0 && change_every < iterations ? change_every : iterations;
  }
};

struct access_study_results : study_head {
  std::vector<access_study_workload> workloads = {};
  std::vector<access_study_run> runs = {};

  const access_study_workload* find(const std::string& name) const;
  /// Null if there is none.
  const access_study_run* find_run(const std::string& experiment, const std::string& workload,
                                   const std::string& layout, int change_every) const;
};

/// duplicate, pad, share, share_in_parts.
std::string name_of(layouts::paper_choice choice);

std::string identity(const access_study_workload& of);
std::string identity(const access_study_run& run);
void fields(record& io, access_study_workload& of);
void fields(record& io, access_study_run& run);
void fields(record& io, access_study_results& all); ///< writes everything except the runs
/// automatic is the last of its group: if another run of the group failed, the whole group is measured again.
void forget_failed(access_study_results& all);
void merge(const study_file& file, access_study_results& all, access_study_results more);

} // namespace evenly::study
