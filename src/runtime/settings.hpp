// SPDX-License-Identifier: Apache-2.0
// Which parameters of a schedule can be set at run time, and the schedule, as a type, that an any_schedule stands for.
#pragma once

#include <limits>
#include <string_view>
#include <utility>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "evenly/schedules/registry.hpp"

namespace evenly::detail {

/// Calls visit(key, member, least, most) for each member of a schedule that can be set, in [least, most].
template <class Schedule, class Visit> void for_each_setting(Schedule& schedule, const Visit& visit) {
  constexpr int any = std::numeric_limits<int>::max();
  visit("block_size", schedule.block_size, 1, max_block_size);
  if constexpr (requires { schedule.group = 1; }) visit("g", schedule.group, 1, max_block_size);
  if constexpr (requires { schedule.long_tile; }) visit("long_tile", schedule.long_tile, 0, any);
  if constexpr (requires { schedule.cta_threshold; })
    visit("cta_threshold", schedule.cta_threshold, 0, most_cta_threshold);
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

/// Calls visit(schedule) with the schedule that `chosen` stands for, its values set.
template <class Visit> void with_schedule(const any_schedule& chosen, const Visit& visit) {
  with_schedule(chosen.index(), [&](auto schedule) {
    for_each_setting(schedule, [&](std::string_view key, auto& member, int, int) {
      for (const auto& [name, value] : chosen.set_values())
        if (name == key) member = value;
    });
    visit(std::as_const(schedule));
  });
}

} // namespace evenly::detail
