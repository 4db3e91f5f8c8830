// SPDX-License-Identifier: Apache-2.0
// Sparse times dense of double on the simulated GPU.
#include "evenly/execution/simt.hpp"
#include "measure/host_timer.hpp"
#include "sparse/spmm_bench_on.hpp"

namespace evenly::cli {

bench make_simt_dense_bench(const dense_problem<double>& p, const product_checker<double>* right,
                            const bench_options& options) {
  const simt exec({.seed = options.seed, .threads = options.threads});
  return dense_bench(exec, std::make_unique<host_timer>(exec.threads(), true), p, right);
}

} // namespace evenly::cli
