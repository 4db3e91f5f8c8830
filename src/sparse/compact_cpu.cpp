// SPDX-License-Identifier: Apache-2.0
// Values of 16 bits, and none, on a CPU.
#include "evenly/execution/cpu.hpp"
#include "measure/host_timer.hpp"
#include "sparse/compact_bench_on.hpp"

namespace evenly::cli {

bench make_cpu_compact_bench(matrix_format format, const spmv_problem<float>& p,
                             const bench_options& options) {
  const evenly::cpu exec(options.threads);
  return compact_bench(exec, std::make_unique<host_timer>(exec.threads()), format, p);
}
bench make_cpu_compact_bench(matrix_format format, const spmv_problem<double>& p,
                             const bench_options& options) {
  const evenly::cpu exec(options.threads);
  return compact_bench(exec, std::make_unique<host_timer>(exec.threads()), format, p);
}

} // namespace evenly::cli
