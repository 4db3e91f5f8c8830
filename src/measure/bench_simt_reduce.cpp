// SPDX-License-Identifier: Apache-2.0
// What reduces tiles, on simt.
#include "measure/bench_simt.hpp"

namespace evenly::cli {

template std::unique_ptr<bench> make_simt_bench(const spmv_problem<float>&, const bench_options&);
template std::unique_ptr<bench> make_simt_bench(const spmv_problem<double>&, const bench_options&);

} // namespace evenly::cli
