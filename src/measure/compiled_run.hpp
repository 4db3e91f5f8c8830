// SPDX-License-Identifier: Apache-2.0
// Runs of operations that evenly::runtime does not have: compiled here for the schedules of a list.
#pragma once

#include <memory>
#include <type_traits>

#include "evenly/core/errors.hpp"
#include "evenly/schedules/plan.hpp"
#include "measure/bench.hpp"
#include "runtime/compiled_schedules.hpp"

namespace evenly::measure {

/// The launch of a plan, without storage.
template <class Plan> launch_note note_on(const Plan& plan) {
  const auto& launch = plan.launch();
  return {launch.shape.blocks, launch.shape.block_size, 0, cutting_blocks(launch)};
}

/// A run that calls body(plan), with a plan for `tiles` under the schedule `chosen`. The run keeps `work` alive. Throws
/// evenly::error if the list Among does not contain the schedule.
template <class Among, class Work, class Tiles, class Body>
prepared_run compiled_run(const std::shared_ptr<Work>& work, const any_schedule& chosen, const Tiles& tiles,
                          const Body& body) {
  using executor = std::remove_cvref_t<decltype(work->exec())>;
  prepared_run made;
  const auto prepare = [&](const auto& schedule) {
    using plan_type = decltype(make_plan(work->exec(), schedule, tiles));
    const auto plan = std::make_shared<plan_type>(make_plan(work->exec(), schedule, tiles));
    made.launches = {note_on(*plan)};
    made.run = [work, plan, body] { body(*plan); };
  };
  if (!evenly::detail::with_compiled<executor, Among>(chosen, prepare))
    throw error(chosen.text() + " is not among the schedules under which this format is compared");
  return made;
}

} // namespace evenly::measure
