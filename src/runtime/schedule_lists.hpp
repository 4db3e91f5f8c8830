// SPDX-License-Identifier: Apache-2.0
// The schedules that operations are compiled for (compiled_schedules.hpp), by name, in the registry's order.
#pragma once

#include <string>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"

namespace evenly::detail {

/// Of matrix formats and of dense factors.
std::vector<any_schedule> few_schedules();
/// Of searches.
std::vector<any_schedule> frontier_schedules();
/// Of complex values.
std::vector<any_schedule> complex_schedules();

std::vector<std::string> names_of(const std::vector<any_schedule>& schedules);

} // namespace evenly::detail
