// SPDX-License-Identifier: Apache-2.0
// plan_on: the planning of a tile set.
#pragma once

#include <utility>

#include "evenly/schedules/choice/chooser.hpp"
#include "runtime/choose_of_all.hpp"
#include "runtime/executor_interface.hpp"
#include "runtime/plan_on.hpp"
#include "runtime/schedule_lists.hpp"

namespace evenly::detail {

template <class Executor, class Offset>
plan_on<Executor, Offset>::plan_on(const Executor& exec, const any_schedule& chosen,
                                   const csr_tile_set<Offset>& given, work_kind work)
    : exec_(exec), index_(chosen.index()) {
  const tiles_type tiles(given);
  require_tiles(tiles);
  inspected_tiles<tiles_type> known{tiles, {}};
  any_schedule schedule = chosen;
  if (chosen.is_automatic()) {
    const auto seen = inspect_and_summarize(exec_, tiles);
    known.all = seen.all;
    int threads = 0;
    if constexpr (Executor::serial_blocks) threads = exec_.threads();
    const auto choose = [threads, of = seen.of, work, chosen](std::span<const std::string> some) {
      return choose_of_all(threads, of, work, expected_runs_of(chosen), some);
    };
    automatic_choice made = choose({});
    schedule = with_settings_of(chosen, made.name);
    index_ = schedule.index();
    why_ = std::move(made.why);
    make_complex_plan_ = [=] {
      const automatic_choice other = choose(names_of(complex_schedules()));
      return make_plan_erased(any_executor(exec), with_settings_of(chosen, other.name), given, work);
    };
  } else {
    known.all = inspect(exec_, tiles);
  }
  with_compiled<Executor>(schedule, [&]<class Schedule>(const Schedule& each) {
    plan_ = std::make_shared<plan<Executor, Schedule, tiles_type>>(exec_, each, known, capacity{});
  });
}

template <class Executor, class Offset> std::int64_t plan_on<Executor, Offset>::atoms() const {
  std::int64_t atoms = 0;
  with_plan([&](const auto& plan) { atoms = plan.atoms(); });
  return atoms;
}

/// Makes a plan if `exec` holds an Executor, else returns nothing.
template <class Executor, class Offset>
std::unique_ptr<plan_interface<Offset>> try_make_plan(const executor_interface& exec,
                                                      const any_schedule& schedule,
                                                      const csr_tile_set<Offset>& tiles, work_kind work) {
  const auto* const mine = dynamic_cast<const executor_interface_of<Executor>*>(&exec);
  if (mine == nullptr) return nullptr;
  return std::make_unique<plan_on<Executor, Offset>>(mine->exec, schedule, tiles, work);
}

} // namespace evenly::detail
