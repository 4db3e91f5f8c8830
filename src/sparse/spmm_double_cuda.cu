// SPDX-License-Identifier: Apache-2.0
// Sparse times dense of double on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "sparse/spmm_bench_on.hpp"

namespace evenly::cli {

bench make_cuda_dense_bench(const dense_problem<double>& p, const product_checker<double>* right,
                            const bench_options& options) {
  return dense_bench(evenly::cuda(), std::make_unique<device_timer>(options.warm), p, right);
}

} // namespace evenly::cli
