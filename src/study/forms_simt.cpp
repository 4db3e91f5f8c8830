// SPDX-License-Identifier: Apache-2.0
#include "measure/host_timer.hpp"
#include "study/form_bench.hpp"
#include "study/technique_bench.hpp"

namespace evenly::study {

using measure::host_timer;

bench make_simt_form_bench(const update_problem& p, const bench_options& options) {
  const auto work = std::make_shared<work_on<simt, update_problem>>(
      simt({.seed = options.seed, .threads = options.threads, .trace = options.trace}), p);
  return {std::make_unique<host_timer>(work->exec().threads(), true), work, [work](int block_size) {
            std::vector<candidate> all;
            for_each_paper_form([&](const char* name, const auto& schedule) {
              const int size = block_size > 0 ? block_size : schedule.block_size;
              all.push_back(technique_candidate<0>(work, name, schedule, size));
            });
            return all;
          }};
}

compiled_bench_maker& compiled_bench() {
  static compiled_bench_maker maker = nullptr;
  return maker;
}

} // namespace evenly::study
