// SPDX-License-Identifier: Apache-2.0
// Sparse times dense of float on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "sparse/spmm_place_on.hpp"

namespace evenly::cli {

std::unique_ptr<placed_dense_product<float>> place_dense_product_on_cuda(const dense_factors<float>& of,
                                                                         const bench_options& options) {
  return std::make_unique<dense_product_on<evenly::cuda, float>>(
      evenly::cuda(), std::make_unique<device_timer>(options.warm), of);
}

} // namespace evenly::cli
