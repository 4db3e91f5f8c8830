// SPDX-License-Identifier: Apache-2.0
// y = A x with a matrix in each format, under few schedules (runtime/schedule_lists.hpp): a bench for `evenly compare`.
#pragma once

#include <cstdint>
#include <memory>

#include "measure/bench.hpp"

namespace evenly::sparse {

using measure::bench, measure::bench_options, measure::executor_kind, measure::problem, measure::spmv_problem;

enum class matrix_format { csr, csc, coo, ell, bcsr, dia, packed, half, bfloat16, pattern };
inline constexpr int bcsr_block_side = 2;

/// Whether `format` supports only float, because its values have 16 bits.
constexpr bool is_of_floats(matrix_format format) {
  return format == matrix_format::half || format == matrix_format::bfloat16;
}
/// Whether `format` is compressed rows with 16-bit values or without values.
constexpr bool has_compact_values(matrix_format format) {
  return is_of_floats(format) || format == matrix_format::pattern;
}

/// Rounds the values of `p`, an spmv problem, to the format: to 16 bits, or all to 1. Returns the number of bytes saved
/// per run. Does nothing for other formats. Throws evenly::error for a finite value that does not fit into 16 bits.
std::int64_t round_to(matrix_format format, problem& p);

/// For any format but csr, which has a bench with all schedules. `p`, an spmv problem, must outlive the bench. Throws
/// evenly::error if the matrix does not suit the format: ELLPACK, diagonals and blocks may take 16 times the memory of
/// compressed rows, and packed columns must save memory.
bench make_format_bench(executor_kind kind, matrix_format format, const problem& p,
                        const bench_options& options);

/// The same for a known executor: formats with compact values, and all others. Instantiated in separate translation
/// units (formats_on.hpp).
template <class Executor, class Value>
bench compact_bench_on(matrix_format format, const spmv_problem<Value>& p, const bench_options& options);
template <class Executor, class Value>
bench format_bench_on(matrix_format format, const spmv_problem<Value>& p, const bench_options& options);

} // namespace evenly::sparse
