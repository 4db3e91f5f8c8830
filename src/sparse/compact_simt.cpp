// SPDX-License-Identifier: Apache-2.0
// Values of 16 bits, and none, on the simulated GPU.
#include "evenly/execution/simt.hpp"
#include "measure/host_timer.hpp"
#include "sparse/compact_bench_on.hpp"

namespace evenly::cli {

bench make_simt_compact_bench(matrix_format format, const spmv_problem<float>& p,
                              const bench_options& options) {
  const simt exec({.seed = options.seed, .threads = options.threads, .trace = options.trace});
  return compact_bench(exec, std::make_unique<host_timer>(exec.threads(), true), format, p);
}
bench make_simt_compact_bench(matrix_format format, const spmv_problem<double>& p,
                              const bench_options& options) {
  const simt exec({.seed = options.seed, .threads = options.threads, .trace = options.trace});
  return compact_bench(exec, std::make_unique<host_timer>(exec.threads(), true), format, p);
}

} // namespace evenly::cli
