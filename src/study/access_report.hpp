// SPDX-License-Identifier: Apache-2.0
// Reports of the study of data reorganization: the tables and figures of the paper, the agreement of its statements
// with our numbers, and a page.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evenly/layouts/choice/selector.hpp"
#include "json/value.hpp"
#include "report/table.hpp"
#include "study/study_file.hpp"
#include "study/verdicts.hpp"

namespace evenly::study {

// The measurements of `evenly study reorganize` as plain data, and their JSON. The rest of the study is derived from
// them.

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

/// A row of tables 1 and 2 of the paper. M1 is a Tesla C1060, M2 a GTX 480; a negative share is "shut down", an empty
/// one "not runnable". Contradictions between the tables are kept as printed: table 1 lists sharing for CFD on M2,
/// which table 2 shut down; the 0.6 of MERGE is in the column of sharing, although padding was selected.
struct paper_row {
  const char* name;
  const char* description;
  const char* on_m1;
  const char* on_m2;
  std::array<std::optional<double>, 2> duplicated; ///< transformation ratios
  std::array<std::optional<double>, 2> shared;
};
inline constexpr double shut_down = -1;
const std::vector<paper_row>& paper_rows();
const paper_row* paper_row_of(const std::string& name);

/// duplicate, pad or share for the variants of the paper's algorithms; empty for other layouts.
std::string_view algorithm_of(std::string_view layout);

/// The share of the threads whose data can be transformed during the run of the others. `overhead_ms`: time to
/// transform all data for one call; `run_ms`: time of a call without it. The previous one of independent calls can hide
/// it as well. In [0, 1]. (The paper defines its "transformation ratio" as that of the second to the first sub-kernel,
/// but it is 1 if all data are transformed, so it is the share of the whole.)
double transformed_share(double run_ms, double overhead_ms, bool independent);

/// The runs of one workload in the experiment layouts, and derived values.
class access_view {
 public:
  access_view(const access_study_results& results, const access_study_workload& of);

  const access_study_workload& workload;
  std::vector<const access_study_run*> runs;  ///< all runs, including those without a result
  const access_study_run* none = nullptr;     ///< null if missing or not timed; likewise below
  const access_study_run* selected = nullptr; ///< automatic, in the long loop if there is one

  const access_study_run* layout(std::string_view name) const;
  /// The run with the lowest time including overhead: of one family, or of all layouts.
  const access_study_run* best(std::string_view family = {}) const;
  const access_study_run* best_of_paper() const;
  /// The run with the lowest time excluding overhead.
  const access_study_run* fastest(std::string_view family) const;
  const access_study_run* smallest_copy(std::string_view family) const;

  /// Including overhead, relative to none in a loop of equal length.
  double speedup(const access_study_run& run) const;
  /// The run to compare `selected` with: the lowest time including overhead, in a loop of equal length.
  const access_study_run* rival() const;
  double potential(const access_study_run& run) const {
    return none->run_ms / run.run_ms;
  } ///< excluding overhead
  /// Bytes of referenced elements per byte of loaded sectors, including index lists. Above 1 if a block loads an
  /// element once that several threads refer to.
  double load_efficiency(const access_study_run& run) const;
  /// Slots of the copy, relative to duplicate.
  std::optional<double> space(const access_study_run& run) const;
  std::optional<double>
  share_of(const access_study_run& run) const; ///< transformed_share; none: it does not pay

 private:
  std::vector<const access_study_run*> long_runs_; ///< of the experiment long
};

/// The views of all measured workloads.
std::vector<access_view> views_of(const access_study_results& results);

std::string access_table(const access_study_results& results, const std::string& workload);
std::string change_table(const access_study_results& results, const std::string& workload);
/// Tables 1 and 2.
std::string paper_tables(const access_study_results& results);

/// The headings of tables 1 and 2: for people, or the keys of the JSON.
enum class headings { words, keys };
report::table table_1(const access_study_results& results, headings heads = headings::words);
report::table table_2(const access_study_results& results, headings heads = headings::words);
/// Speedups including overhead, by the interval of changes; 0 means never.
std::vector<int> changes_of(const access_study_results& results, const std::string& workload);

/// The statements of the paper.
std::vector<finding> examine_access(const access_study_results& results);
std::string agreement(const access_study_results& results);

/// Everything except the runs and values derived from them.
json::value head_of(const access_study_results& results);

/// The whole study with charts, as well-formed XML without references to other files.
std::string page_of(const access_study_results& results);

} // namespace evenly::study
