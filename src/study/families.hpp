// SPDX-License-Identifier: Apache-2.0
// The techniques of the study, as families of schedules: the best configuration of each counts, as in Busato & Bombieri
// (TPDS 2017), section 5. Also the results of one operation, accessible by family.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/results.hpp"
#include "study/verdicts.hpp"

namespace evenly::study {

/// The classes of the paper (section 2), and techniques newer than the paper.
enum class mapping_class { fixed, semi_dynamic, dynamic, later };

struct family {
  std::string name;  ///< name of the schedules without template arguments
  std::string title; ///< name of the technique, in the paper if it is there
  mapping_class kind;

  bool in_paper() const { return kind != mapping_class::later; }
};

/// The family of a schedule; a schedule without a family forms its own.
family family_of(std::string_view schedule);

/// The name of the family whose phases are measured separately.
extern const std::string_view technique_with_phases;

/// The team size of this schedule if it uses virtual warps.
std::optional<int> virtual_warp_size(std::string_view schedule);

/// The runs of one operation, and one of their times: that of a run, or of a plan and its run together.
class study_view {
 public:
  /// `results` must outlive the view.
  study_view(const study_results& results, std::string_view op, bool with_plan = false);

  const study_results& all() const { return *results_; }
  const std::vector<const study_run*>& runs() const { return runs_; }
  /// The families with runs, in the order of the paper, followed by newer ones.
  const std::vector<family>& families() const { return families_; }

  /// Null if there is no such workload.
  const study_workload* workload(std::string_view name) const;

  /// The time of a run that is ok: with its spread, and the median.
  interval time_of(const study_run& run) const;
  double median_of(const study_run& run) const;

  /// The fastest run of a family, with this block size (0: any) or this virtual warp size. Null if none was timed.
  const study_run* best(std::string_view workload, std::string_view family, int block_size = 0) const;
  const study_run* best_virtual_warp(std::string_view workload, int size) const;

  /// The maximum memory of any run of the family on any workload; empty if none was timed.
  std::optional<std::size_t> max_memory(std::string_view family) const;

  /// Geometric mean of time of a over time of b, over the workloads with both. Empty if there is none.
  std::optional<interval> mean_ratio(std::string_view family_a, std::string_view family_b) const;

  std::vector<int> block_sizes() const;        ///< all measured block sizes, ascending
  std::vector<int> virtual_warp_sizes() const; ///< likewise

 private:
  const study_results* results_;
  bool with_plan_;
  std::vector<const study_run*> runs_;
  std::vector<family> families_;
};

/// `group_per_tile<4>, blocks of 128`.
std::string configuration(const study_run& run);

} // namespace evenly::study
