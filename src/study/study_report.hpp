// SPDX-License-Identifier: Apache-2.0
// Reports of the study: tables for the terminal, and a self-contained HTML page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.hpp"
#include "study/results.hpp"
#include "study/verdicts.hpp"

namespace evenly::study {

/// The operation of Busato & Bombieri: access and update each atom.
inline constexpr std::string_view paper_operation = "update";

/// One operation on one workload: the best configuration of each technique.
std::string technique_table(const study_results& results, std::string_view op, std::string_view workload);

/// The experiments with multi-phase mapping on one workload; empty if there are none.
std::string phase_table(const study_results& results, std::string_view workload);

/// The statements about techniques, on the runs of one operation. The paper's operation updates each atom. with_plan:
/// the times are those of a plan and its run together; the paper does not say which it means.
std::vector<finding> examine_techniques(const study_results& results, std::string_view op,
                                        bool with_plan = false);
/// Whether times with plans were measured.
bool has_times_with_plan(const study_results& results, std::string_view op);

/// Table 3: the paper's workloads beside those of the study.
std::vector<finding> examine_workloads(const study_results& results);

/// The statements of table 2, on the counts of the simulated GPU.
std::vector<finding> examine_counts(const study_results& results);
/// The counts as a table; empty if there are none.
std::string count_table(const study_results& results);

/// The statements about the phases of multi-phase mapping and their parameters.
std::vector<finding> examine_phases(const study_results& results);

/// Agreement and disagreement with the ranking of the paper, with numbers; for other operations, the number of
/// statements only. The last line counts all statements on the paper's operation.
std::string agreement(const study_results& results);

/// Everything except the runs, and derived values: the best configuration of each technique (`best`), and the
/// agreement.
json::value head_of(const study_results& results);

/// The whole study with charts, as well-formed XML without references to other files.
std::string page_of(const study_results& results);

} // namespace evenly::study
