// SPDX-License-Identifier: Apache-2.0
// What reduces tiles, on cuda.
#include "measure/bench_cuda.hpp"

namespace evenly::cli {

template std::unique_ptr<bench> make_cuda_bench(const spmv_problem<float>&, const bench_options&);
template std::unique_ptr<bench> make_cuda_bench(const spmv_problem<double>&, const bench_options&);

} // namespace evenly::cli
