// SPDX-License-Identifier: Apache-2.0
// What visits atoms, on cpu.
#include "measure/bench_cpu.hpp"

namespace evenly::cli {

template std::unique_ptr<bench> make_cpu_bench(const expand_problem&, const bench_options&);
template std::unique_ptr<bench> make_cpu_bench(const update_problem&, const bench_options&);

} // namespace evenly::cli
