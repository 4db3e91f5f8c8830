// SPDX-License-Identifier: Apache-2.0
// Sparse times dense of double on the simulated GPU.
#include "evenly/execution/simt.hpp"
#include "measure/host_timer.hpp"
#include "sparse/spmm_place_on.hpp"

namespace evenly::cli {

std::unique_ptr<placed_dense_product<double>> place_dense_product_on_simt(const dense_factors<double>& of,
                                                                          const bench_options& options) {
  const simt exec({.seed = options.seed, .threads = options.threads});
  return std::make_unique<dense_product_on<simt, double>>(
      exec, std::make_unique<host_timer>(exec.threads(), true), of);
}

} // namespace evenly::cli
