// SPDX-License-Identifier: Apache-2.0
// Instantiates format_bench_on and compact_bench_on (format_bench.hpp). The latter is the bench of compressed rows with
// 16-bit values, or without values, on an executor.
#pragma once

#include <type_traits>
#include <utility>

#include "evenly/core/errors.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/sparse/compact_matrix.hpp"
#include "sparse/format_bench_on.hpp"
#if defined(__CUDACC__)
#include "sparse/format_baselines_cuda.hpp"
#endif

namespace evenly::sparse {

template <narrow_float Stored> struct narrow_rows {
  csr_buffers<float, int> a; ///< without values
  buffer<Stored> values;
  auto view() const { return with_values(a.view(), values.data()); }
};
template <narrow_float Stored> struct narrow_maker {
  template <class Executor>
  static narrow_rows<Stored> make(const Executor& exec, csr_buffers<float, int> a, std::int64_t) {
    auto values = to_narrow<Stored>(exec, a.view());
    a.values = {};
    return {std::move(a), std::move(values)};
  }
};

template <class Value> struct pattern_rows {
  csr_buffers<Value, int> a; ///< without values
  auto view() const { return pattern_of<Value>(a.view()); }
};
struct pattern_maker {
  template <class Executor, class Value>
  static pattern_rows<Value> make(const Executor&, csr_buffers<Value, int> a, std::int64_t) {
    a.values = {};
    return {std::move(a)};
  }
};

template <class Executor, class Value>
bench compact_bench_on(matrix_format format, const spmv_problem<Value>& p, const bench_options& options) {
  if (format == matrix_format::pattern) return format_bench_of<pattern_maker, Executor>(p, options);
  if constexpr (std::is_same_v<Value, float>) {
    if (format == matrix_format::half) return format_bench_of<narrow_maker<half>, Executor>(p, options);
    if (format == matrix_format::bfloat16)
      return format_bench_of<narrow_maker<bfloat16>, Executor>(p, options);
  }
  throw error("values of 16 bits need --type float");
}

} // namespace evenly::sparse
