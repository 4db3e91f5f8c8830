// SPDX-License-Identifier: Apache-2.0
// The rows of a comparison of products: few schedules, then baselines.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "evenly/execution/memory.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "measure/bench.hpp"
#include "measure/problem.hpp"
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

// The matrix of a problem as compressed rows in the memory of an executor.

using measure::spmv_problem;

/// A copy. Synchronises.
template <class Executor, class Value>
csr_buffers<Value, int> rows_on(const Executor& exec, const spmv_problem<Value>& p) {
  const auto rows = static_cast<std::size_t>(p.a.rows),
             entries = static_cast<std::size_t>(p.a.offsets[p.a.rows]);
  return {p.a.rows, p.a.cols, to_executor(exec, std::span(p.a.offsets, rows + 1)),
          to_executor(exec, std::span(p.a.columns, entries)),
          to_executor(exec, std::span(p.a.values, entries))};
}

} // namespace evenly::sparse
