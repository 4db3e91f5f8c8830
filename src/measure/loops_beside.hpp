// SPDX-License-Identifier: Apache-2.0
// Candidates that run plain loops over rows on cores.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measure/baselines_openmp.hpp"
#include "measure/bench.hpp"

namespace evenly::measure {

/// Loops over the rows of a work_on<cpu, Problem>: each calls run(work->data(), dealing, threads).
template <class Work, class Run>
std::vector<candidate> loops_beside(const std::shared_ptr<Work>& work, const Run& run) {
  const auto loop = [&](const char* name, const std::string& title, row_dealing dealing) {
    candidate made{.name = name, .title = title};
    if (dealing != row_dealing::one_thread) made.afterwards = let_threads_sleep;
    made.prepare = [work, dealing, run]() -> prepared_run {
      return {[work, dealing, run] { run(work->data(), dealing, work->exec().threads()); }};
    };
    return made;
  };
  return {loop("serial", "loop, one thread", row_dealing::one_thread),
          loop("openmp_static", "loop, OpenMP static", row_dealing::even),
          loop("openmp_dynamic", fmt::format("loop, OpenMP dynamic,{}", dynamic_rows), row_dealing::dynamic)};
}

} // namespace evenly::measure
