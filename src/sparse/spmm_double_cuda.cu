// SPDX-License-Identifier: Apache-2.0
// Sparse times dense of double on a GPU.
#include "sparse/spmm_bench_on_gpu.hpp"

namespace evenly::cli {

bench make_cuda_dense_bench(const dense_problem<double>& p, const product_checker<double>* right,
                            const bench_options& options) {
  return dense_bench_on_gpu(p, right, options);
}

} // namespace evenly::cli
