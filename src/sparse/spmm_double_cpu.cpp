// SPDX-License-Identifier: Apache-2.0
// Sparse times dense of double on the cores of this machine.
#include "evenly/execution/cpu.hpp"
#include "measure/host_timer.hpp"
#include "sparse/spmm_place_on.hpp"

namespace evenly::cli {

std::unique_ptr<placed_dense_product<double>> place_dense_product_on_cpu(const dense_factors<double>& of,
                                                                         const bench_options& options) {
  const evenly::cpu exec(options.threads);
  return std::make_unique<dense_product_on<evenly::cpu, double>>(
      exec, std::make_unique<host_timer>(exec.threads()), of);
}

} // namespace evenly::cli
