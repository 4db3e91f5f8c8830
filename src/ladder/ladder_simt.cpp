// SPDX-License-Identifier: Apache-2.0
// The ladders on the simulated GPU.
#include "ladder/ladder_bench.hpp"
#include "measure/host_timer.hpp"

namespace evenly::ladder {

using measure::host_timer;

bench make_simt_ladder(const any_ladder_problem& any, const bench_options& options) {
  const simt exec({.seed = options.seed, .threads = options.threads});
  return std::visit(
      [&]<class T>(const ladder_problem<T>& p) {
        return version_bench(std::make_unique<host_timer>(exec.threads(), true),
                             std::make_shared<ladder_work<simt, T>>(exec, p), p);
      },
      any);
}

} // namespace evenly::ladder
