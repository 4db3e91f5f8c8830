// SPDX-License-Identifier: Apache-2.0
// The rows of a comparison of products: few schedules, then baselines.
#pragma once

#include <utility>
#include <vector>

#include "measure/bench.hpp"
#include "runtime/schedule_lists.hpp"

namespace evenly::sparse {

/// Returns a function of the block size, 0 for each schedule's own: of(schedule) for few schedules, and the baselines.
template <class Of> auto few_candidates(Of of, std::vector<measure::candidate> baselines) {
  return [of, baselines = std::move(baselines)](int block_size) {
    std::vector<measure::candidate> all;
    for (any_schedule each : evenly::detail::few_schedules()) {
      if (block_size > 0) each.set("block_size", block_size);
      all.push_back(of(each));
    }
    all.insert(all.end(), baselines.begin(), baselines.end());
    return all;
  };
}

} // namespace evenly::sparse
