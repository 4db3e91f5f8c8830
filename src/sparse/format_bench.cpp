// SPDX-License-Identifier: Apache-2.0
#include "sparse/format_bench.hpp"

#include <type_traits>
#include <variant>

#include "evenly/core/errors.hpp"

namespace evenly::cli {

bench make_format_bench(executor_kind kind, matrix_format format, const problem& p,
                        const bench_options& options) {
  require_executor(kind);
  const auto of = [&](const auto& each) {
    if (kind == executor_kind::cpu) return make_cpu_format_bench(format, each, options);
#if defined(EVENLY_WITH_CUDA)
    if (kind == executor_kind::cuda) return make_cuda_format_bench(format, each, options);
#endif
    return make_simt_format_bench(format, each, options);
  };
  if (const auto* each = std::get_if<spmv_problem<float>>(&p)) return of(*each);
  if (const auto* each = std::get_if<spmv_problem<double>>(&p)) return of(*each);
  throw error("formats are compared by spmv");
}

} // namespace evenly::cli
