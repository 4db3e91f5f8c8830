// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_mappings.hpp"

#include <algorithm>
#include <map>

#include "evenly/execution/cpu.hpp"
#include "runtime/compiled_schedules.hpp"

namespace evenly::detail {

std::vector<std::vector<std::string>> same_on_cpu() {
  std::map<int, std::vector<std::string>> groups; // by compiled schedule
  const std::vector<std::string>& names = schedule_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    groups[compiled_number<cpu>(static_cast<int>(i))].push_back(names[i]);
  std::vector<std::vector<std::string>> all;
  for (auto& [number, group] : groups) all.push_back(std::move(group));
  return all;
}

bool cuts_evenly_on_cpu(std::string_view name) {
  return std::ranges::any_of(same_on_cpu(), [&](const std::vector<std::string>& group) {
    const auto has = [&](std::string_view each) { return std::ranges::count(group, each) > 0; };
    return has(name) && (has("direct_search") || has("merge_path"));
  });
}

} // namespace evenly::detail
