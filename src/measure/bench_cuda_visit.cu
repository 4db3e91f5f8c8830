// SPDX-License-Identifier: Apache-2.0
// What visits atoms, on cuda.
#include "measure/bench_cuda.hpp"

namespace evenly::cli {

template std::unique_ptr<bench> make_cuda_bench(const expand_problem&, const bench_options&);
template std::unique_ptr<bench> make_cuda_bench(const update_problem&, const bench_options&);

} // namespace evenly::cli
