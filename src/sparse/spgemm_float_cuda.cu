// SPDX-License-Identifier: Apache-2.0
// Sparse products of float on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "sparse/spgemm_place_on.hpp"

namespace evenly::cli {

std::unique_ptr<placed_product<float>> place_product_on_cuda(const factors<float>& of,
                                                             const bench_options& options) {
  return std::make_unique<product_on<evenly::cuda, float>>(evenly::cuda(),
                                                           std::make_unique<device_timer>(options.warm), of);
}

} // namespace evenly::cli
