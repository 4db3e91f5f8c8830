// SPDX-License-Identifier: Apache-2.0
// The matrix of a problem as compressed rows in the memory of an executor.
#pragma once

#include <cstddef>
#include <span>

#include "evenly/execution/memory.hpp"
#include "evenly/sparse/csr_buffers.hpp"
#include "measure/problem.hpp"

namespace evenly::sparse {

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
