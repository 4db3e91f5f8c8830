// SPDX-License-Identifier: Apache-2.0
// The techniques that the study compares: families of schedules, of which the best configuration counts, as in
// Busato & Bombieri (TPDS 2017), section 5; and the results of one operation, looked up by them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/results.hpp"

namespace evenly::study {

/// The paper's classes (its section 2), and what it did not have.
enum class mapping_class { fixed, semi_dynamic, dynamic, later };

struct family {
  std::string name;  ///< of the schedules: theirs without template arguments
  std::string title; ///< the technique's, in the paper where it has it
  mapping_class kind;

  bool in_paper() const { return kind != mapping_class::later; }
};

/// A schedule that no family names is one of its own.
family family_of(std::string_view schedule);

/// The threads of a team of this schedule, where it is one of the virtual warps.
std::optional<int> virtual_warp_size(std::string_view schedule);

/// The runs of one operation.
class study_view {
 public:
  /// `results` must outlive this.
  study_view(const study_results& results, std::string_view op);

  const study_results& all() const { return *results_; }
  const std::vector<const study_run*>& runs() const { return runs_; }
  /// Those that there are runs of, in the order in which the paper has them; later ones after that.
  const std::vector<family>& families() const { return families_; }

  /// Null where there is no such workload.
  const study_workload* workload(std::string_view name) const;

  /// The fastest run of a family, with blocks of this size (0: any), or of one virtual warp size. Null where none was
  /// timed.
  const study_run* best(std::string_view workload, std::string_view family, int block_size = 0) const;
  const study_run* best_virtual_warp(std::string_view workload, int size) const;

  /// The most memory that any run of the family needed, any workload; nothing where none was timed.
  std::optional<std::size_t> max_memory(std::string_view family) const;

  /// Geometric mean over the workloads that have both: time of a over time of b. Nothing where no workload has.
  std::optional<double> mean_ratio(std::string_view family_a, std::string_view family_b) const;

  std::vector<int> block_sizes() const;        ///< that were measured, ascending
  std::vector<int> virtual_warp_sizes() const; ///< likewise

 private:
  template <class Counts> const study_run* fastest(std::string_view workload, const Counts& counts) const;

  const study_results* results_;
  std::vector<const study_run*> runs_;
  std::vector<family> families_;
};

/// `group_per_tile<4>, blocks of 128`.
std::string configuration(const study_run& run);

} // namespace evenly::study
