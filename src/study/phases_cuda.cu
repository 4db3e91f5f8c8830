// SPDX-License-Identifier: Apache-2.0
#include "measure/bench_cuda.hpp"
#include "study/phase_bench.hpp"
#include "study/phases.hpp"

namespace evenly::cli {

std::unique_ptr<bench> make_cuda_phase_bench(const update_problem& p, const bench_options& options) {
  return std::make_unique<phase_bench<timed_on_cuda<update_problem>>>(cuda(), p, options);
}

} // namespace evenly::cli
