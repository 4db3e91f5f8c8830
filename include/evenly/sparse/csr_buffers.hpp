// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows, in memory of an executor: what sparse products make.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evenly/core/errors.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/sparse/csr_matrix.hpp"

namespace evenly {

/// Owns the arrays of a csr_view. Move-only.
template <class Value, std::signed_integral Offset = std::int64_t> struct csr_buffers {
  int rows = 0;
  int cols = 0;
  buffer<Offset> offsets; ///< rows + 1 values
  buffer<int> columns;
  buffer<Value> values;

  csr_view<Value, Offset> view() const { return {rows, cols, offsets.data(), columns.data(), values.data()}; }
  std::int64_t entries() const { return static_cast<std::int64_t>(columns.size()); }
};

/// A copy of a matrix of the host where `exec` can use it. Synchronises.
template <class Executor, class Value, class Offset>
csr_buffers<Value, Offset> to_executor(const Executor& exec, const csr_matrix<Value, Offset>& a) {
  return {a.rows, a.cols, to_executor(exec, a.offsets), to_executor(exec, a.columns),
          to_executor(exec, a.values)};
}

/// A copy, on the host, of a matrix that lies on `exec`. Synchronises.
template <class Executor, class Value, class Offset>
csr_matrix<Value, Offset> to_host(const Executor& exec, const csr_buffers<Value, Offset>& a) {
  return {a.rows, a.cols, to_host(exec, a.offsets), to_host(exec, a.columns), to_host(exec, a.values)};
}

} // namespace evenly
