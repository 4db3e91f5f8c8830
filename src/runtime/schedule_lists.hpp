// SPDX-License-Identifier: Apache-2.0
// Names of the schedules that operations are compiled for (compiled_schedules.hpp), in the order of the registry.
#pragma once

#include <string>
#include <vector>

#include "evenly/runtime/any_schedule.hpp"

namespace evenly::detail {

/// For matrix formats and dense factors.
std::vector<any_schedule> few_schedules();
/// For searches.
std::vector<any_schedule> frontier_schedules();
/// For complex values.
std::vector<any_schedule> complex_schedules();

std::vector<std::string> names_of(const std::vector<any_schedule>& schedules);

} // namespace evenly::detail
