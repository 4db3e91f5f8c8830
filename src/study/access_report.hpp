// SPDX-License-Identifier: Apache-2.0
// The study of data reorganization for people: the paper's tables and figures, its statements held against our numbers,
// and a page.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.hpp"
#include "study/access_results.hpp"
#include "study/claims.hpp"

namespace evenly::study {

/// A row of the paper's tables 1 and 2. M1 is a Tesla C1060, M2 a GTX 480; a share below 0 is "shut down", none is
/// "not runnable". Where the tables contradict each other both are here as they are printed: table 1 has sharing for
/// CFD on M2, which table 2 shut down; the 0.6 of MERGE stands in the column of sharing, though padding was selected.
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

/// duplicate, pad or share for the forms of the paper's algorithms; empty for others.
std::string_view algorithm_of(std::string_view layout);

/// The part of all threads whose data can be transformed while the others run: `overhead_ms` is that of transforming
/// all of it for one call, `run_ms` a call without. Of independent calls the one before can hide it as well. In [0, 1].
/// (The paper's "transformation ratio" is said to be that of the second to the first sub-kernel, but is 1 where all is
/// transformed: so it is the share of the whole.)
double transformed_share(double run_ms, double overhead_ms, bool independent);

/// One workload's runs of the experiment layouts, and what they say.
class access_view {
 public:
  access_view(const access_study_results& results, const access_study_workload& of);

  const access_study_workload& workload;
  std::vector<const access_study_run*> runs;  ///< all, also those without a result
  const access_study_run* none = nullptr;     ///< null where it is not there, or has no times; the same below
  const access_study_run* selected = nullptr; ///< automatic, in a long loop where there is one

  const access_study_run* layout(std::string_view name) const;
  /// Of least time, overhead in; of the paper's algorithms, of one of them, of all.
  const access_study_run* best(std::string_view family = {}) const;
  const access_study_run* best_of_paper() const;
  /// Of least time without overhead.
  const access_study_run* fastest(std::string_view family) const;
  const access_study_run* smallest_copy(std::string_view family) const;

  /// Overhead in; none is that of a loop as long.
  double speedup(const access_study_run& run) const;
  /// What `selected` is compared with: of least time, overhead in, in a loop as long.
  const access_study_run* rival() const;
  double potential(const access_study_run& run) const { return none->run_ms / run.run_ms; } ///< overhead out
  /// Bytes of elements that are referred to for each byte of a sector that is loaded, lists included; it is above 1
  /// where a block loads once what its threads refer to several times.
  double load_efficiency(const access_study_run& run) const;
  /// Slots of the copy for each of duplicate.
  std::optional<double> space(const access_study_run& run) const;
  std::optional<double>
  share_of(const access_study_run& run) const; ///< transformed_share; none: it does not pay

 private:
  std::vector<const access_study_run*> long_runs_; ///< of the experiment long

  const access_study_run* fastest_where(const std::function<bool(const access_study_run&)>& wanted,
                                        double access_study_run::* time) const {
    return min_of(runs, wanted, time);
  }
  static const access_study_run* min_of(const std::vector<const access_study_run*>& runs,
                                        const std::function<bool(const access_study_run&)>& wanted,
                                        double access_study_run::* time);
};

/// Those of all workloads that have been measured.
std::vector<access_view> views_of(const access_study_results& results);

std::string access_table(const access_study_results& results, const std::string& workload);
std::string change_table(const access_study_results& results, const std::string& workload);
/// Tables 1 and 2.
std::string paper_tables(const access_study_results& results);

/// A table of words.
struct word_table {
  std::vector<std::string> heads;
  std::vector<std::vector<std::string>> rows;
};
word_table table_1(const access_study_results& results);
word_table table_2(const access_study_results& results);
/// Speedups, overhead in, over how often lists change; 0 stands for never.
std::vector<int> changes_of(const access_study_results& results, const std::string& workload);

/// The statements of the paper.
std::vector<finding> examine_access(const access_study_results& results);
std::string access_agreement(const access_study_results& results);

/// All but the runs, and what is computed from them.
json::value access_study_head(const access_study_results& results);

/// All of it with charts, well-formed XML, without references to other files.
std::string access_study_page(const access_study_results& results);

} // namespace evenly::study
