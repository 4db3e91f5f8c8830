// SPDX-License-Identifier: Apache-2.0
// Sparse products of double on the cores of this machine.
#include "evenly/execution/cpu.hpp"
#include "measure/host_timer.hpp"
#include "sparse/spgemm_place_on.hpp"

namespace evenly::cli {

std::unique_ptr<placed_product<double>> place_product_on_cpu(const factors<double>& of,
                                                             const bench_options& options) {
  const evenly::cpu exec(options.threads);
  return std::make_unique<product_on<evenly::cpu, double>>(exec, std::make_unique<host_timer>(exec.threads()),
                                                           of);
}

} // namespace evenly::cli
