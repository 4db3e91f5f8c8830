// SPDX-License-Identifier: Apache-2.0
// measure/bench.hpp for the tour: y = A x in float, under few schedules, which are known at compile time. The benches
// of measure/ have every operation, type and schedule, and take much longer to compile.
#include "tour/bench.hpp"

namespace evenly::cli {

bench make_bench(executor_kind kind, const problem& p, const bench_options& options) {
  const auto& multiplication = std::get<spmv_problem<float>>(p);
  return kind == executor_kind::simt ? tour::make_simt_bench(multiplication, options)
                                     : tour::make_cpu_bench(multiplication, options);
}

} // namespace evenly::cli
