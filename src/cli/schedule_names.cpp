// SPDX-License-Identifier: Apache-2.0
#include "cli/schedule_names.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/text.hpp"
#include "cli/usage_error.hpp"
#include "evenly/schedules/registry.hpp"
#include "io/errors.hpp"

namespace evenly::cli {

std::vector<std::string> schedule_names() {
  std::vector<std::string> names;
  for_each_schedule([&](const char* name, const auto&) { names.emplace_back(name); });
  return names;
}

std::string default_schedule() { return "merge_path"; }

std::vector<std::string> parse_schedules(std::string_view list) {
  const std::vector<std::string> known = schedule_names();
  if (list == "all") return known;
  std::vector<std::string> chosen = split(list);
  for (const std::string& name : chosen)
    if (std::ranges::find(known, name) == known.end())
      throw usage_error(
          fmt::format("{} is not a schedule; there are {}", io::in_quotes(name), joined(known)));
  if (chosen.empty()) throw usage_error("no schedule is named; there are " + joined(known));
  return chosen;
}

} // namespace evenly::cli
