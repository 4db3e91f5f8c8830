// SPDX-License-Identifier: Apache-2.0
// The parameters of a schedule that can be set at run time, and the schedule, as a type, that an any_schedule names.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "evenly/schedules/registry.hpp"

namespace evenly::detail {

/// What can be set of `automatic`, besides the block_size of what it chooses.
inline constexpr const char* expected_runs_key = "expected_runs";
inline constexpr int max_expected_runs = 1'000'000;
inline int expected_runs_of(const any_schedule& automatic) {
  for (const auto& [key, value] : automatic.set_values())
    if (key == expected_runs_key) return value;
  return 100;
}
inline std::vector<std::pair<std::string, int>> parameters_of_automatic(const any_schedule& automatic) {
  std::vector<std::pair<std::string, int>> all{{expected_runs_key, expected_runs_of(automatic)}};
  for (const auto& [key, value] : automatic.set_values())
    if (key != expected_runs_key) all.emplace_back(key, value);
  return all;
}

/// The schedule `name`, which `automatic` became, with the parameters that were set of it.
inline any_schedule with_settings_of(const any_schedule& automatic, const std::string& name) {
  any_schedule schedule(name);
  for (const auto& [key, value] : automatic.set_values())
    if (key != expected_runs_key) schedule.set(key, value);
  return schedule;
}

/// Calls visit(key, member, least, most) for each member of a schedule that can be set, in [least, most].
template <class Schedule, class Visit> void for_each_setting(Schedule& schedule, const Visit& visit) {
  constexpr int any = std::numeric_limits<int>::max();
  visit("block_size", schedule.block_size, 1, max_block_size);
  if constexpr (requires { schedule.group = 1; }) visit("g", schedule.group, 1, max_block_size);
  if constexpr (requires { schedule.long_tile; }) visit("long_tile", schedule.long_tile, 0, any);
  if constexpr (requires { schedule.cta_threshold; })
    visit("cta_threshold", schedule.cta_threshold, 0, max_cta_threshold);
  if constexpr (requires { schedule.warp_threshold; })
    visit("warp_threshold", schedule.warp_threshold, 1, any);
}

/// Calls visit(schedule) with the registry's schedule number `index`, as it is there.
template <class Visit> void with_schedule(int index, const Visit& visit) {
  int number = 0;
  for_each_schedule([&](const char*, const auto& known) {
    if (number++ == index) visit(known);
  });
}

/// Sets the values of `chosen` in those of its parameters that `schedule` has.
template <class Schedule> void set_values(Schedule& schedule, const any_schedule& chosen) {
  for_each_setting(schedule, [&](std::string_view key, auto& member, int, int) {
    for (const auto& [name, value] : chosen.set_values())
      if (name == key) member = value;
  });
}

/// Calls visit(schedule) with the schedule that `chosen` names, its values set.
template <class Visit> void with_schedule(const any_schedule& chosen, const Visit& visit) {
  with_schedule(chosen.index(), [&](auto schedule) {
    set_values(schedule, chosen);
    visit(std::as_const(schedule));
  });
}

} // namespace evenly::detail
