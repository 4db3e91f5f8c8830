// SPDX-License-Identifier: Apache-2.0
// The run-time parameters of a schedule, and the conversion from any_schedule to the type of a schedule.
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

/// A parameter of `automatic`, in addition to the block_size of the chosen schedule.
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

/// The schedule `name`, chosen by `automatic`, with the parameters of `automatic`.
inline any_schedule with_settings_of(const any_schedule& automatic, const std::string& name) {
  any_schedule schedule(name);
  for (const auto& [key, value] : automatic.set_values())
    if (key != expected_runs_key) schedule.set(key, value);
  return schedule;
}

/// Calls visit(key, member, least, most) for each run-time parameter of a schedule; its range is [least, most].
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

/// Calls visit(schedule) with schedule `index` of the registry and its default parameters.
template <class Visit> void with_schedule(int index, const Visit& visit) {
  int number = 0;
  for_each_schedule([&](const char*, const auto& known) {
    if (number++ == index) visit(known);
  });
}

/// Copies the parameters of `chosen` to those of `schedule` with the same names.
template <class Schedule> void set_values(Schedule& schedule, const any_schedule& chosen) {
  for_each_setting(schedule, [&](std::string_view key, auto& member, int, int) {
    for (const auto& [name, value] : chosen.set_values())
      if (name == key) member = value;
  });
}

/// Calls visit(schedule) with the schedule and the parameters of `chosen`.
template <class Visit> void with_schedule(const any_schedule& chosen, const Visit& visit) {
  with_schedule(chosen.index(), [&](auto schedule) {
    set_values(schedule, chosen);
    visit(std::as_const(schedule));
  });
}

} // namespace evenly::detail
