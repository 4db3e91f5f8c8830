// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_cuda.hpp"
#include "cli/phase_bench.hpp"
#include "cli/study_phases.hpp"

namespace evenly::cli {

std::unique_ptr<bench> make_cuda_phase_bench(const update_problem& p, const bench_options& options) {
  return std::make_unique<phase_bench<timed_on_cuda<update_problem>>>(cuda(), p, options);
}

} // namespace evenly::cli
