// SPDX-License-Identifier: Apache-2.0
// Sparse times dense of float on the simulated GPU.
#include "evenly/execution/simt.hpp"
#include "measure/host_timer.hpp"
#include "sparse/spmm_place_on.hpp"

namespace evenly::cli {

std::unique_ptr<placed_dense_product<float>> place_dense_product_on_simt(const dense_factors<float>& of,
                                                                         const bench_options& options) {
  const simt exec({.seed = options.seed, .threads = options.threads});
  return std::make_unique<dense_product_on<simt, float>>(
      exec, std::make_unique<host_timer>(exec.threads(), true), of);
}

} // namespace evenly::cli
