// SPDX-License-Identifier: Apache-2.0
// y = A x of a matrix in each format, under few schedules (few_schedules.hpp), as a bench for `evenly compare`.
#pragma once

#include <cstdint>
#include <memory>

#include "measure/bench.hpp"

namespace evenly::cli {

enum class matrix_format { csr, csc, coo, ell, bcsr, dia, packed };
inline constexpr int bcsr_block_side = 2;

/// For any format but csr, which has a bench of all schedules. `p`, of spmv, must outlive the bench. Throws
/// evenly::error where the matrix does not fit the format: ELLPACK, diagonals and blocks may take 16 times the memory
/// of compressed rows, and packed columns have to save memory.
bench make_format_bench(executor_kind kind, matrix_format format, const problem& p,
                        const bench_options& options);

/// One for each executor and type; make_format_bench chooses.
bench make_cpu_format_bench(matrix_format format, const spmv_problem<float>& p, const bench_options& options);
bench make_cpu_format_bench(matrix_format format, const spmv_problem<double>& p,
                            const bench_options& options);
bench make_simt_format_bench(matrix_format format, const spmv_problem<float>& p,
                             const bench_options& options);
bench make_simt_format_bench(matrix_format format, const spmv_problem<double>& p,
                             const bench_options& options);
bench make_cuda_format_bench(matrix_format format, const spmv_problem<float>& p,
                             const bench_options& options);
bench make_cuda_format_bench(matrix_format format, const spmv_problem<double>& p,
                             const bench_options& options);

} // namespace evenly::cli
