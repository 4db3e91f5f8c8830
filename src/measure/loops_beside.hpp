// SPDX-License-Identifier: Apache-2.0
// Candidates that run plain loops over rows on the host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measure/baselines_openmp.hpp"
#include "measure/bench.hpp"

namespace evenly::measure {

/// Loops over the rows of a work_on<cpu, Problem>: each calls run(work->data(), distribution, threads).
template <class Work, class Run>
std::vector<candidate> loops_beside(const std::shared_ptr<Work>& work, const Run& run) {
  const auto loop = [&](const char* name, const std::string& title, row_distribution distribution) {
    candidate made{.name = name, .title = title};
    if (distribution != row_distribution::one_thread) made.afterwards = let_threads_sleep;
    made.prepare = [work, distribution, run]() -> prepared_run {
      return {[work, distribution, run] { run(work->data(), distribution, work->exec().threads()); }};
    };
    return made;
  };
  return {loop("serial", "loop, one thread", row_distribution::one_thread),
          loop("openmp_static", "loop, OpenMP static", row_distribution::even),
          loop("openmp_dynamic", fmt::format("loop, OpenMP dynamic,{}", dynamic_rows),
               row_distribution::dynamic)};
}

} // namespace evenly::measure
