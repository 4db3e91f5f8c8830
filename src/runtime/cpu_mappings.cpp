// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_mappings.hpp"

#include <map>

#include "evenly/execution/cpu.hpp"
#include "runtime/compiled_schedules.hpp"

namespace evenly::detail {

std::vector<std::vector<std::string>> same_on_cpu() {
  std::map<int, std::vector<std::string>> groups; // by the schedule that is compiled for them
  const std::vector<std::string>& names = schedule_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    groups[compiled_number<cpu>(static_cast<int>(i))].push_back(names[i]);
  std::vector<std::vector<std::string>> all;
  for (auto& [number, group] : groups) all.push_back(std::move(group));
  return all;
}

} // namespace evenly::detail
