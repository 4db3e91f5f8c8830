// SPDX-License-Identifier: Apache-2.0
// Sparse products of double on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "sparse/spgemm_place_on.hpp"

namespace evenly::cli {

std::unique_ptr<placed_product<double>> place_product_on_cuda(const factors<double>& of,
                                                              const bench_options& options) {
  return std::make_unique<product_on<evenly::cuda, double>>(evenly::cuda(),
                                                            std::make_unique<device_timer>(options.warm), of);
}

} // namespace evenly::cli
