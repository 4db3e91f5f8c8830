// SPDX-License-Identifier: Apache-2.0
#include "runtime/schedule_lists.hpp"

#include "runtime/compiled_schedules.hpp"

namespace evenly::detail {
namespace {

template <class Among> std::vector<any_schedule> schedules_of() {
  std::vector<any_schedule> all;
  for_each_schedule([&]<class Schedule>(const char* name, const Schedule&) {
    if constexpr (Among::template has<Schedule>) all.emplace_back(name);
  });
  return all;
}

} // namespace

std::vector<any_schedule> few_schedules() { return schedules_of<among::few>(); }
std::vector<any_schedule> frontier_schedules() { return schedules_of<among::of_frontiers>(); }
std::vector<any_schedule> complex_schedules() { return schedules_of<among::of_complex_values>(); }

std::vector<std::string> names_of(const std::vector<any_schedule>& schedules) {
  std::vector<std::string> names;
  for (const any_schedule& each : schedules) names.push_back(each.name());
  return names;
}

} // namespace evenly::detail
