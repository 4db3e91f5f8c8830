// SPDX-License-Identifier: Apache-2.0
#include "cli/schedule_names.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/option_values.hpp"
#include "evenly/schedules/registry.hpp"
#include "io/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for_each_schedule([&](const char* name, const auto&) { names.emplace_back(name); });
  return names;
}

std::string default_schedule() { return "merge_path"; }

std::string name_in_files(std::string_view schedule) {
  std::string name(schedule);
  std::ranges::replace(name, '<', '_');
  std::erase(name, '>');
  return name;
}

std::string parse_schedule(const std::string& name) {
  const std::vector<std::string> known = schedule_names();
  for (const std::string& each : known)
    if (name == each || name == name_in_files(each)) return each;
  throw usage_error(fmt::format("{} is not a schedule; there are {}", io::in_quotes(name), joined(known)));
}

std::vector<std::string> parse_schedules(std::string_view list) {
  if (list == "all") return schedule_names();
  std::vector<std::string> chosen = parse_names("--schedule", list);
  std::ranges::transform(chosen, chosen.begin(), parse_schedule);
  refuse_repeated("--schedule", chosen);
  return chosen;
}

} // namespace evenly::cli
