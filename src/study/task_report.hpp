// SPDX-License-Identifier: Apache-2.0
// Reports of the study of task pools: tables, the agreement of the paper's statements with our numbers, and a page.
#pragma once

#include <string>
#include <vector>

#include "json/value.hpp"
#include "study/task_results.hpp"
#include "study/verdicts.hpp"

namespace evenly::study {

/// The correct run with the lowest time among the selected ones; null if there is none.
const task_study_run* best_of(const task_study_results& results, const std::string& experiment,
                              const std::string& input, const std::string& pool);
/// Distinct names of inputs and of pools in an experiment, in the order of runs.
std::vector<std::string> inputs_of(const task_study_results& results, const std::string& experiment);
std::vector<std::string> pools_of(const task_study_results& results, const std::string& experiment);

/// The runs of an experiment on one input: the best run of each pool.
std::string task_table(const task_study_results& results, const std::string& experiment,
                       const std::string& input);

/// The statements of the paper, judged by the runs in which a warp or a block runs a task.
std::vector<finding> examine_tasks(const task_study_results& results, const tree_experiments& of);
/// Whether trees were built by blocks.
bool has_runs_by_block(const task_study_results& results);
std::string agreement(const task_study_results& results);

/// Everything except the runs, and values derived from them.
json::value head_of(const task_study_results& results);

/// The whole study with charts, as well-formed XML without references to other files.
std::string page_of(const task_study_results& results);

} // namespace evenly::study
