// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows in the memory of an executor: the result of sparse products.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
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

/// A matrix in the memory of `executor()`. Move-only.
template <class Value, std::signed_integral Offset, class Executor>
struct csr_matrix : csr_buffers<Value, Offset> {
  using executor_type = Executor;

  csr_matrix(const Executor& exec, csr_buffers<Value, Offset> arrays)
      : csr_buffers<Value, Offset>(std::move(arrays)), exec_(exec) {}

  const Executor& executor() const { return exec_; }
  /// A copy in the memory of `to`. The copy passes through the host. Synchronises.
  template <class To> csr_matrix<Value, Offset, To> to(const To& to) const {
    auto on_host = to_host(exec_, *this);
    if constexpr (std::is_same_v<To, cpu>)
      return on_host;
    else
      return on_host.to(to);
  }

 private:
  Executor exec_;
};

/// A matrix as views for your own kernels (execution/memory.hpp).
template <class Executor, class Value, class Offset> struct csr_spans {
  int rows = 0;
  int cols = 0;
  span_on<Executor, const Offset> offsets; ///< rows + 1 values
  span_on<Executor, const int> columns;
  span_on<Executor, const Value> values;
};
/// A view of the matrix for kernels on `exec`, which can read it.
template <class Executor, class Value, class Offset>
csr_spans<Executor, Value, Offset> view(const Executor& exec, const csr_buffers<Value, Offset>& a) {
  return {a.rows, a.cols, view(exec, a.offsets), view(exec, a.columns), view(exec, a.values)};
}

template <class Executor, class Value, class Offset>
csr_spans<Executor, Value, Offset> view(const Executor& exec, const csr_matrix<Value, Offset>& a) {
  return {a.rows, a.cols, view(exec, a.offsets), view(exec, a.columns), view(exec, a.values)};
}

/// Copies a host matrix to the memory of `exec`. O(rows + entries). Allocates and synchronises.
template <class Executor, class Value, class Offset>
csr_buffers<Value, Offset> to_executor(const Executor& exec, const csr_matrix<Value, Offset>& a) {
  return {a.rows, a.cols, to_executor(exec, a.offsets), to_executor(exec, a.columns),
          to_executor(exec, a.values)};
}

template <class Value, std::signed_integral Offset>
template <class To>
csr_matrix<Value, Offset, To> csr_matrix<Value, Offset, cpu>::to(const To& exec) const {
  if constexpr (std::is_same_v<To, cpu>)
    return *this;
  else
    return {exec, to_executor(exec, *this)};
}

/// Copies a matrix on `exec` to the host. O(rows + entries). Synchronises.
template <class Executor, class Value, class Offset>
csr_matrix<Value, Offset> to_host(const Executor& exec, const csr_buffers<Value, Offset>& a) {
  return {a.rows, a.cols, to_host(exec, a.offsets), to_host(exec, a.columns), to_host(exec, a.values)};
}

namespace detail {

/// Makes an owner from buffers of `exec`; on the host it copies them to std::vectors.
template <class Executor, class Value, class Offset>
csr_matrix<Value, Offset, Executor> owned_by(const Executor& exec, csr_buffers<Value, Offset> arrays) {
  if constexpr (std::is_same_v<Executor, cpu>)
    return to_host(exec, arrays);
  else
    return {exec, std::move(arrays)};
}

} // namespace detail

} // namespace evenly
