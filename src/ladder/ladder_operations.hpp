// SPDX-License-Identifier: Apache-2.0
// The versions under an operation that is chosen at run time. Each executor has a unit that includes this file.
#pragma once

#include <memory>
#include <vector>

#include "ladder/ladder_bench.hpp"

namespace evenly::ladder {

template <class Executor, class T>
std::vector<candidate> operation_candidates(const std::shared_ptr<ladder_work<Executor, T>>& work,
                                            const ladder_problem<T>& p, int block_size) {
  return version_candidates(work, p, block_size, chosen_operation<T>{p.operation});
}

/// The types of the ladder's elements.
#define EVENLY_LADDER_OPERATIONS_ON(executor)                                                                \
  template std::vector<candidate> operation_candidates(const std::shared_ptr<ladder_work<executor, int>>&,   \
                                                       const ladder_problem<int>&, int);                     \
  template std::vector<candidate> operation_candidates(const std::shared_ptr<ladder_work<executor, float>>&, \
                                                       const ladder_problem<float>&, int)

} // namespace evenly::ladder
