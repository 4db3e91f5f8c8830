// SPDX-License-Identifier: Apache-2.0
// Few schedules, for what would cost too much compile time under all of them: a thread, a warp and a group of a size of
// its own for each tile, equal shares of atoms, and equal shares of atoms and tiles.
#pragma once

#include <concepts>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"
#include "evenly/schedules/registry.hpp"
#include "runtime/settings.hpp"

namespace evenly::cli {

template <class Schedule, class... Some>
inline constexpr bool is_any_of = (std::same_as<Schedule, Some> || ...);
template <class Schedule>
inline constexpr bool is_of_few =
    is_any_of<Schedule, thread_mapped, warp_mapped, dynamic_group_per_tile, merge_path<>, nonzero_split<>>;

/// Their names, in the registry's order.
inline std::vector<any_schedule> few_schedules() {
  std::vector<any_schedule> few;
  for_each_schedule([&]<class Schedule>(const char* name, const Schedule&) {
    if constexpr (is_of_few<Schedule>) few.emplace_back(name);
  });
  return few;
}

/// Calls visit(schedule) with the schedule that `chosen` stands for, if it is of these.
template <class Visit> void with_one_of_few(const any_schedule& chosen, const Visit& visit) {
  evenly::detail::with_schedule(chosen, [&]<class Schedule>(const Schedule& schedule) {
    if constexpr (is_of_few<Schedule>) visit(schedule);
  });
}

} // namespace evenly::cli
