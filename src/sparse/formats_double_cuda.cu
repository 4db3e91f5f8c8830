// SPDX-License-Identifier: Apache-2.0
// Every format of double on a GPU.
#include "evenly/execution/cuda.hpp"
#include "measure/device_timer.hpp"
#include "sparse/cusparse_beside.hpp"
#include "sparse/format_bench_on.hpp"

namespace evenly::cli {

bench make_cuda_format_bench(matrix_format format, const spmv_problem<double>& p,
                             const bench_options& options) {
  return format_bench(evenly::cuda(), std::make_unique<device_timer>(options.warm), format, p,
                      cusparse_beside{});
}

} // namespace evenly::cli
