// SPDX-License-Identifier: Apache-2.0
// An operation under a plan, as a candidate that checks itself.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "evenly/schedules/plan.hpp"
#include "measure/measure.hpp"

namespace evenly::bench {

/// Makes a plan for `tiles` and returns a candidate that times run(plan). right() checks the output. If the schedule is
/// a chooser, the report names the chosen schedule.
template <class Executor, class Schedule, class Tiles, class Run>
measure::candidate plan_candidate(const char* name, const Executor& exec, const Schedule& schedule,
                                  const Tiles& tiles, const Run& run, std::function<bool()> right) {
  using plan_type = plan_of<Executor, Schedule, Tiles>;
  const auto plan = std::make_shared<plan_type>(exec, schedule, tiles);
  measure::candidate made = measure::plain_candidate(name, [plan, run] { run(*plan); }, std::move(right));
  if constexpr (chosen<plan_type>)
    made.prepare = [plan, prepare = std::move(made.prepare)] {
      measure::prepared_run prepared = prepare();
      prepared.chosen = plan->schedule_name();
      return prepared;
    };
  return made;
}

} // namespace evenly::bench
