// SPDX-License-Identifier: Apache-2.0
// Sparse products of double on the simulated GPU.
#include "evenly/execution/simt.hpp"
#include "measure/host_timer.hpp"
#include "sparse/spgemm_place_on.hpp"

namespace evenly::cli {

std::unique_ptr<placed_product<double>> place_product_on_simt(const factors<double>& of,
                                                              const bench_options& options) {
  const simt exec({.seed = options.seed, .threads = options.threads});
  return std::make_unique<product_on<simt, double>>(exec, std::make_unique<host_timer>(exec.threads(), true),
                                                    of);
}

} // namespace evenly::cli
