// SPDX-License-Identifier: Apache-2.0
#include "cli/schedule_names.hpp"

#include <algorithm>

#include "cli/option_values.hpp"
#include "evenly/core/errors.hpp"
#include "host/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {

using measure::joined, measure::usage_error;

any_schedule default_schedule() { return any_schedule("automatic"); }
any_schedule example_schedule() { return any_schedule("merge_path"); }

std::string name_in_files(std::string_view schedule) {
  std::string name(schedule);
  std::ranges::replace(name, '<', '_');
  std::erase(name, '>');
  return name;
}

any_schedule parse_schedule(const std::string& text) {
  std::string name = text.substr(0, text.find(':'));
  for (const std::string& each : schedule_names())
    if (name == name_in_files(each)) name = each;
  try {
    return any_schedule(name + text.substr(std::min(text.find(':'), text.size())));
  } catch (const invalid_argument& e) {
    const std::vector<std::string> known = schedule_names();
    const bool is_known = name == default_schedule().name() || std::ranges::count(known, name) > 0;
    throw usage_error(is_known
                          ? std::string(e.what())
                          : host::in_quotes(name) + " is not a schedule" + host::did_you_mean(name, known) +
                                "; choose one of automatic, " + joined(known));
  }
}

std::vector<any_schedule> parse_schedules(std::string_view list) {
  if (list == "all") return {};
  std::vector<std::string> texts;
  for (const std::string& part : parse_list("--schedule", list))
    if (part.find('=') != std::string::npos && part.find(':') == std::string::npos && !texts.empty())
      texts.back() += ',' + part;
    else
      texts.push_back(part);
  std::vector<any_schedule> chosen;
  std::vector<std::string> as_said;
  for (const std::string& text : texts) {
    chosen.push_back(parse_schedule(text));
    as_said.push_back(chosen.back().text());
  }
  refuse_repeated("--schedule", as_said);
  return chosen;
}

any_schedule with_block_size(any_schedule chosen, int block_size) {
  if (block_size > 0 && !chosen.is_set("block_size")) chosen.set("block_size", block_size);
  return chosen;
}

std::vector<std::string> schedule_completions(std::vector<std::string> first,
                                              const std::vector<any_schedule>& all) {
  for (const any_schedule& each : all) first.push_back(name_in_files(each.name()));
  return first;
}
std::vector<std::string> schedule_completions(std::vector<std::string> first) {
  for (const std::string& each : schedule_names()) first.push_back(name_in_files(each));
  return first;
}

option& add_schedule(command& to, any_schedule& chosen) {
  return to
      .add(
          "--schedule NAME", [&chosen](const std::string& text) { chosen = parse_schedule(text); },
          "name of the schedule (default: " + default_schedule().name() + ")")
      .completes(schedule_completions());
}
option& add_schedules(command& to, std::vector<any_schedule>& chosen, std::string help) {
  return to
      .add(
          "--schedule NAME,...", [&chosen](const std::string& list) { chosen = parse_schedules(list); },
          std::move(help))
      .completes(schedule_completions());
}

} // namespace evenly::cli
