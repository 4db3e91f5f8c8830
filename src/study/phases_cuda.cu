// SPDX-License-Identifier: Apache-2.0
#include "measure/device_timer.hpp"
#include "study/phase_bench.hpp"
#include "study/phases.hpp"

namespace evenly::study {

using measure::device_timer;

bench make_cuda_phase_bench(const update_problem& p, const bench_options& options, phase_facts& facts) {
  return phase_bench(std::make_unique<device_timer>(options.warm), cuda(), p, facts);
}

} // namespace evenly::study
