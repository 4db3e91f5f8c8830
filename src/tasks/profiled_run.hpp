// SPDX-License-Identifier: Apache-2.0
// Balance of a candidate by a profiled run, which follows the timed runs because its kernels are slower.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "evenly/tasks/pool.hpp"
#include "measure/bench.hpp"
#include "tasks/balance.hpp"
#include "tasks/pool_settings.hpp"

namespace evenly::tasks {

/// Makes the check of a candidate also run a profiled pool and store its balance, if the settings request a profile.
///
/// - run(pool): runs the candidate's tasks under a pool and returns the report.
/// - store(balance): called after a run with workers.
template <class Pool, class Run, class Store>
void add_profiled_run(measure::candidate& timed, const pool_settings& settings, const Pool& pool, Run run,
                      Store store) {
  if (!settings.profile) return;
  timed.first_error = [check = std::move(timed.first_error), run = std::move(run), store = std::move(store),
                       from = profiled<Pool>{settings.apply(pool)}]() -> std::optional<std::string> {
    std::optional<std::string> error = check();
    if (error) return error;
    const auto report = run(from);
    if (!report.workers.empty()) store(balance_of(report));
    return error;
  };
}

} // namespace evenly::tasks
