// SPDX-License-Identifier: Apache-2.0
// Sparse times dense of float on the cores of this machine.
#include "sparse/spmm_bench_on_cores.hpp"

namespace evenly::cli {

bench make_cpu_dense_bench(const dense_problem<float>& p, const product_checker<float>* right,
                           const bench_options& options) {
  return dense_bench_on_cores(p, right, options);
}

} // namespace evenly::cli
