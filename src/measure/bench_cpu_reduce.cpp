// SPDX-License-Identifier: Apache-2.0
// What reduces tiles, on cpu.
#include "measure/bench_cpu.hpp"

namespace evenly::cli {

template std::unique_ptr<bench> make_cpu_bench(const spmv_problem<float>&, const bench_options&);
template std::unique_ptr<bench> make_cpu_bench(const spmv_problem<double>&, const bench_options&);

} // namespace evenly::cli
