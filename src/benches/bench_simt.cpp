// SPDX-License-Identifier: Apache-2.0
// The bench of the simulated GPU. It is for checking: its times are those of the simulation.
#include <memory>
#include <variant>

#include "benches/segments_on.hpp"
#include "measure/host_timer.hpp"
#include "measure/work_on.hpp"

namespace evenly::measure {

bench make_simt_bench(const problem& p, const bench_options& options) {
  return std::visit(
      [&]<class Problem>(const Problem& each) {
        const auto work = std::make_shared<work_on<simt, Problem>>(
            simt({.seed = options.seed, .threads = options.threads, .trace = options.trace}), each);
        return schedule_bench(std::make_unique<host_timer>(work->exec().threads(), true), work);
      },
      p);
}

} // namespace evenly::measure
