// SPDX-License-Identifier: Apache-2.0
#include "measure/host_timer.hpp"
#include "study/phase_bench.hpp"
#include "study/phases.hpp"

namespace evenly::study {

using measure::host_timer;

bench make_simt_phase_bench(const update_problem& p, const bench_options& options, phase_facts& facts) {
  const simt exec({.seed = options.seed, .threads = options.threads});
  return phase_bench(std::make_unique<host_timer>(exec.threads(), true), exec, p, facts);
}

} // namespace evenly::study
