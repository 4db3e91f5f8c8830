// SPDX-License-Identifier: Apache-2.0
// Every format of double on cores.
#include "evenly/execution/cpu.hpp"
#include "measure/host_timer.hpp"
#include "sparse/format_bench_on.hpp"

namespace evenly::cli {

bench make_cpu_format_bench(matrix_format format, const spmv_problem<double>& p,
                            const bench_options& options) {
  const evenly::cpu exec(options.threads);
  return format_bench(exec, std::make_unique<host_timer>(exec.threads()), format, p);
}

} // namespace evenly::cli
