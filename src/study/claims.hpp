// SPDX-License-Identifier: Apache-2.0
// What Busato & Bombieri (TPDS 2017) say about their measurements, each statement with a predicate on ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "study/results.hpp"

namespace evenly::study {

enum class verdict_word { agrees, disagrees, not_measured };

struct finding {
  std::string source; ///< where the paper says it
  std::string claim;
  verdict_word verdict;
  std::string numbers; ///< of ours, or why there are none
};

std::string name_of(verdict_word verdict); ///< agrees, disagrees, not measured

/// The statements about techniques, on the runs of one operation. The paper's is an update of each atom.
std::vector<finding> examine_techniques(const study_results& results, std::string_view op);

/// The statements about the phases of multi-phase mapping and its parameters.
std::vector<finding> examine_phases(const study_results& results);

} // namespace evenly::study
