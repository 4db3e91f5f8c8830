// SPDX-License-Identifier: Apache-2.0
// Values of 16 bits, and none, on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "sparse/compact_bench_on.hpp"
#include "sparse/cusparse_beside.hpp"

namespace evenly::cli {

bench make_cuda_compact_bench(matrix_format format, const spmv_problem<float>& p,
                              const bench_options& options) {
  return compact_bench(evenly::cuda(), std::make_unique<device_timer>(options.warm), format, p,
                       cusparse_beside{});
}
bench make_cuda_compact_bench(matrix_format format, const spmv_problem<double>& p,
                              const bench_options& options) {
  return compact_bench(evenly::cuda(), std::make_unique<device_timer>(options.warm), format, p,
                       cusparse_beside{});
}

} // namespace evenly::cli
