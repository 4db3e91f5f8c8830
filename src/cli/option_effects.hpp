// SPDX-License-Identifier: Apache-2.0
// Which option changes something where. An option that changes nothing on any executor of a call is a misunderstanding,
// so it is refused; one that works on some of them is obeyed there.
#pragma once

#include <string>
#include <vector>

#include "measure/bench.hpp"

namespace evenly::cli {

/// What a call does, as far as options differ in it.
enum class activity {
  compare_spmv,
  compare_spmm,
  compare_others,
  spmv,
  study,
  study_from,
  ladder,
  ladder_count,
  tasks,
  explain_spmv,
  explain_others,
  explain_arm,
  reorganize,
  reorganize_count,
  search,
  spgemm,
  spgemm_output,
  spmm,
  spmm_b,
  spmm_output,
  spmm_b_output,
  transpose,
  octree
};

struct given_option {
  std::string name;  ///< with its dashes
  std::string value; ///< empty for a flag
};

/// Throws usage_error for the first option that has no effect on any of `executors`, on which `doing` is done.
/// `chosen`: whether the user named them.
void refuse_without_effect(const std::vector<given_option>& given, activity doing,
                           const std::vector<executor_kind>& executors, bool chosen);

} // namespace evenly::cli
