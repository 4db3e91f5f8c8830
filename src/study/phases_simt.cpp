// SPDX-License-Identifier: Apache-2.0
#include "measure/bench_simt.hpp"
#include "study/phase_bench.hpp"
#include "study/phases.hpp"

namespace evenly::cli {

std::unique_ptr<bench> make_simt_phase_bench(const update_problem& p, const bench_options& options) {
  return std::make_unique<phase_bench<host_bench<simt, update_problem>>>(
      simt({.seed = options.seed, .threads = options.threads}), p, options);
}

} // namespace evenly::cli
