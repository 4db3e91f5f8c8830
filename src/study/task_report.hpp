// SPDX-License-Identifier: Apache-2.0
// The study of task pools for people: tables, statements of the paper held against our numbers, and a page.
#pragma once

#include <string>
#include <vector>

#include "json/value.hpp"
#include "study/claims.hpp"
#include "study/task_results.hpp"

namespace evenly::study {

/// The right run of least time among those that were wanted; null where there is none.
const task_study_run* best_of_grid(const task_study_results& results, const std::string& input,
                                   const std::string& pool);
/// Names, each once, in the order of runs: of inputs and of pools in an experiment.
std::vector<std::string> inputs_of(const task_study_results& results, const std::string& experiment);
std::vector<std::string> pools_of(const task_study_results& results, const std::string& experiment);

/// One input's runs of an experiment: each pool at its best.
std::string task_table(const task_study_results& results, const std::string& experiment,
                       const std::string& input);

/// The statements of the paper.
std::vector<finding> examine_tasks(const task_study_results& results);
std::string task_agreement(const task_study_results& results);

/// All but the runs, and what is computed from them.
json::value task_study_head(const task_study_results& results);

/// All of it with charts, well-formed XML, without references to other files.
std::string task_study_page(const task_study_results& results);

} // namespace evenly::study
