// SPDX-License-Identifier: Apache-2.0
#include "sparse/format_bench.hpp"

#include <cstddef>
#include <type_traits>
#include <variant>

#include "evenly/core/errors.hpp"
#include "evenly/core/narrow_floats.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/sparse/compact_matrix.hpp"

namespace evenly::sparse {

using measure::with_executor;

namespace {

template <class Stored> void round_values(spmv_problem<float>& p) {
  const auto rounded = to_narrow<Stored>(cpu(), p.a);
  for (std::size_t k = 0; k < rounded.size(); ++k) p.values[k] = float{rounded.data()[k]};
}

template <class Value> std::int64_t round_to(matrix_format format, spmv_problem<Value>& p) {
  const std::int64_t entries = p.a.offsets[p.a.rows];
  if (format == matrix_format::pattern) {
    p.values.assign(static_cast<std::size_t>(entries), Value{1});
    p.a.values = p.values.data();
    return entries * static_cast<std::int64_t>(sizeof(Value));
  }
  if constexpr (std::is_same_v<Value, float>) {
    if (format == matrix_format::half) round_values<half>(p);
    if (format == matrix_format::bfloat16) round_values<bfloat16>(p);
    return entries * 2;
  }
  throw error("values of 16 bits need --type float");
}

/// Calls of(p) with the spmv problem that `p` holds.
template <class Problem, class Of> auto with_spmv(Problem& p, const Of& of) {
  if (auto* each = std::get_if<spmv_problem<float>>(&p)) return of(*each);
  if (auto* each = std::get_if<spmv_problem<double>>(&p)) return of(*each);
  throw error("formats other than csr need --op spmv");
}

} // namespace

std::int64_t round_to(matrix_format format, problem& p) {
  if (!has_compact_values(format)) return 0;
  return with_spmv(p, [&](auto& each) { return round_to(format, each); });
}

bench make_format_bench(executor_kind kind, matrix_format format, const problem& p,
                        const bench_options& options) {
  return with_spmv(p, [&](const auto& each) {
    return with_executor(kind, [&]<class Executor>() {
      return has_compact_values(format) ? compact_bench_on<Executor>(format, each, options)
                                        : format_bench_on<Executor>(format, each, options);
    });
  });
}

} // namespace evenly::sparse
