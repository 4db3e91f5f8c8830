// SPDX-License-Identifier: Apache-2.0
// Sparse times dense of double on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "sparse/spmm_place_on.hpp"

namespace evenly::cli {

std::unique_ptr<placed_dense_product<double>> place_dense_product_on_cuda(const dense_factors<double>& of,
                                                                          const bench_options& options) {
  return std::make_unique<dense_product_on<evenly::cuda, double>>(
      evenly::cuda(), std::make_unique<device_timer>(options.warm), of);
}

} // namespace evenly::cli
