// SPDX-License-Identifier: Apache-2.0
// A candidate that computes y = A x in float under a schedule that is known at compile time.
#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "evenly/schedules/plan.hpp"
#include "evenly/sparse/spmv.hpp"
#include "measure/bench.hpp"
#include "measure/work_on.hpp"

namespace evenly::tour {

using multiplication = measure::spmv_problem<float>;
template <class Executor> using multiplication_on = measure::work_on<Executor, multiplication>;

/// The product of `work` under `schedule`.
template <class Executor, class Schedule>
measure::candidate schedule_candidate(const std::shared_ptr<multiplication_on<Executor>>& work,
                                      const std::string& name, const Schedule& schedule) {
  measure::candidate made{.name = name, .title = name, .is_schedule = true};
  made.prepare = [work, schedule]() -> measure::prepared_run {
    const auto make = [&] { return make_plan(work->exec(), schedule, work->data().tiles()); };
    const auto plan = std::make_shared<decltype(make())>(make());
    measure::prepared_run prepared;
    prepared.run = [work, plan] {
      const auto& data = work->data();
      spmv(work->exec(), *plan, data.a(), data.x(), data.out());
    };
    const auto note = [&](const auto& launch) {
      prepared.launches = {{.blocks = launch.shape.blocks,
                            .block_size = Executor::serial_blocks ? 1 : launch.shape.block_size,
                            .cutting = cutting_blocks(launch)}};
    };
    if constexpr (requires { plan->explain(); }) {
      prepared.chosen = plan->schedule_name();
      prepared.why = plan->explain();
      plan->visit([&](const auto& chosen) { note(chosen.launch()); });
    } else {
      note(plan->launch());
    }
    return prepared;
  };
  return made;
}

} // namespace evenly::tour
