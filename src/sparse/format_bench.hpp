// SPDX-License-Identifier: Apache-2.0
// y = A x of a matrix in each format, under few schedules (runtime/schedule_lists.hpp): a bench for `evenly compare`.
#pragma once

#include <cstdint>
#include <memory>

#include "measure/bench.hpp"

namespace evenly::sparse {

using measure::bench, measure::bench_options, measure::executor_kind, measure::problem, measure::spmv_problem;

enum class matrix_format { csr, csc, coo, ell, bcsr, dia, packed, half, bfloat16, pattern };
inline constexpr int bcsr_block_side = 2;

/// Whether the problems of `format` are of floats alone: values of 16 bits stand for them.
constexpr bool is_of_floats(matrix_format format) {
  return format == matrix_format::half || format == matrix_format::bfloat16;
}
/// Whether `format` is one of compressed rows whose values take 16 bits, or nothing.
constexpr bool has_compact_values(matrix_format format) {
  return is_of_floats(format) || format == matrix_format::pattern;
}

/// The values of `p`, of spmv, as the format holds them: rounded to 16 bits, or all 1; the bytes that are moved become
/// less by what is returned. Does nothing for other formats. Throws evenly::error for a finite value that 16 bits do
/// not hold.
std::int64_t round_to(matrix_format format, problem& p);

/// For any format but csr, which has a bench of all schedules. `p`, of spmv, must outlive the bench. Throws
/// evenly::error where the matrix does not fit the format: ELLPACK, diagonals and blocks may take 16 times the memory
/// of compressed rows, and packed columns have to save memory.
bench make_format_bench(executor_kind kind, matrix_format format, const problem& p,
                        const bench_options& options);

/// The same on a known executor: of formats with compact values, and of the others. Instantiated in units of their own
/// (formats_on.hpp).
template <class Executor, class Value>
bench compact_bench_on(matrix_format format, const spmv_problem<Value>& p, const bench_options& options);
template <class Executor, class Value>
bench format_bench_on(matrix_format format, const spmv_problem<Value>& p, const bench_options& options);

} // namespace evenly::sparse
