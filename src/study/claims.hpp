// SPDX-License-Identifier: Apache-2.0
// The statements of Busato & Bombieri (TPDS 2017) about their measurements, each with a predicate on ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "study/results.hpp"

namespace evenly::study {

enum class verdict_word { agrees, disagrees, not_measured };

struct finding {
  std::string source; ///< section of the paper
  std::string claim;
  verdict_word verdict;
  std::string numbers; ///< our numbers, or why there are none
};

std::string name_of(verdict_word verdict); ///< agrees, disagrees, not measured

/// The statements about techniques, on the runs of one operation. The paper's operation updates each atom.
std::vector<finding> examine_techniques(const study_results& results, std::string_view op);

/// The statements about the phases of multi-phase mapping and their parameters.
std::vector<finding> examine_phases(const study_results& results);

} // namespace evenly::study
