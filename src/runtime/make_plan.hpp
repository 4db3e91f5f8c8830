// SPDX-License-Identifier: Apache-2.0
// plan_on: what is done once for a tile set.
#pragma once

#include "runtime/held_executor.hpp"
#include "runtime/plan_on.hpp"

namespace evenly::detail {

template <class Executor, class Offset>
plan_on<Executor, Offset>::plan_on(const Executor& exec, const any_schedule& chosen, const tiles_type& tiles)
    : exec_(exec), index_(chosen.index()) {
  with_schedule(chosen, [&]<class Schedule>(const Schedule& schedule) {
    plan_ = std::make_shared<plan<Executor, Schedule, tiles_type>>(exec_, schedule, tiles);
  });
}

template <class Executor, class Offset> std::int64_t plan_on<Executor, Offset>::atoms() const {
  std::int64_t atoms = 0;
  with_plan([&](const auto& plan) { atoms = plan.atoms(); });
  return atoms;
}

/// A plan if `exec` holds an Executor, else nothing.
template <class Executor, class Offset>
std::unique_ptr<held_plan<Offset>> hold_plan_if(const held_executor& exec, const any_schedule& schedule,
                                                const csr_tile_set<Offset>& tiles) {
  const auto* const mine = dynamic_cast<const held_executor_of<Executor>*>(&exec);
  if (mine == nullptr) return nullptr;
  return std::make_unique<plan_on<Executor, Offset>>(mine->exec, schedule, tiles);
}

} // namespace evenly::detail
