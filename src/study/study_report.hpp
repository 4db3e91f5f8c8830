// SPDX-License-Identifier: Apache-2.0
// The results of the study for people: tables on the terminal, and a page of HTML that needs nothing else.
#pragma once

#include <string>
#include <string_view>

#include "json/value.hpp"
#include "study/results.hpp"

namespace evenly::study {

/// The operation of Busato & Bombieri: each atom is accessed and updated.
inline constexpr std::string_view paper_operation = "update";

/// One operation on one workload: the best configuration of each technique.
std::string technique_table(const study_results& results, std::string_view op, std::string_view workload);

/// The experiments with multi-phase mapping on one workload; empty where there are none.
std::string phase_table(const study_results& results, std::string_view workload);

/// Where our ranking agrees with the paper's and where not, with numbers; and for operations that the
/// paper does not have, how often.
std::string agreement(const study_results& results);

/// All but the runs, and what is computed from them: the best configuration of each technique (`best`), and the
/// agreement.
json::value study_head(const study_results& results);

/// All of it with charts, well-formed XML, without references to other files.
std::string study_page(const study_results& results);

} // namespace evenly::study
