// SPDX-License-Identifier: Apache-2.0
#include "cli/command.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "cli/commands.hpp"
#include "cli/exit_status.hpp"
#include "evenly/core/errors.hpp"

namespace evenly::cli {

option::option(std::string_view usage, taker take, std::string help) : take_(std::move(take)) {
  const std::string_view names = usage.substr(0, usage.find(' '));
  const std::size_t comma = names.find(',');
  description_.names.emplace_back(names.substr(0, comma));
  if (comma != names.npos) description_.names.emplace_back(names.substr(comma + 1));
  if (names.size() < usage.size()) description_.value = usage.substr(names.size() + 1);
  description_.help = std::move(help);
}

std::string option_name(std::string_view usage) {
  const std::string_view names = usage.substr(0, usage.find(' '));
  return std::string(names.substr(names.find(',') + 1)); // all of it if there is no comma
}

option& option::required() {
  description_.is_required = true;
  return *this;
}
option& option::repeated() {
  description_.takes_several = true;
  return *this;
}
option& option::completes(std::vector<std::string> names) {
  description_.completions = std::move(names);
  return *this;
}
option& option::effective(std::function<executor_set()> where) {
  where_ = std::move(where);
  return *this;
}
option& option::effective(executor_set where) {
  return effective([where] { return where; });
}
option& option::writes(const io::output_formats& formats) {
  formats_ = &formats;
  return *this;
}

command::command(std::string name) : name_(std::move(name)) {
  const auto listed = std::ranges::find(all_commands(), name_, &listed_command::name);
  if (listed == all_commands().end()) throw error(name_ + " is not in the table of commands");
  summary_ = listed->summary;
}

option& command::add(std::string_view usage, option::taker take, std::string help) {
  return options_.emplace_back(usage, std::move(take), std::move(help));
}
option& command::add(std::string_view usage, bool& flag, std::string help) {
  return add(usage, [&flag](const std::string&) { flag = true; }, std::move(help));
}
option& command::add(std::string_view usage, std::string& text, std::string help) {
  return add(usage, [&text](const std::string& value) { text = value; }, std::move(help));
}
option& command::add(std::string_view usage, std::vector<std::string>& texts, std::string help) {
  return add(
             usage, [&texts](const std::string& value) { texts.push_back(value); }, std::move(help))
      .repeated();
}
option& command::add(std::string_view usage, int& number, whole_range range, std::string help) {
  const std::string name = option_name(usage);
  return add(
      usage, [&number, range, name](const std::string& value) { number = parse_count(name, value, range); },
      std::move(help));
}
option& command::add(std::string_view usage, std::uint64_t& number, std::string help) {
  const std::string name = option_name(usage);
  return add(
      usage,
      [&number, name](const std::string& value) {
        number = parse_whole(name, value, 0, std::numeric_limits<std::uint64_t>::max());
      },
      std::move(help));
}

void command::add_example(std::string line, std::string what) {
  examples_ += "  " + std::move(line) + "\n      " + std::move(what) + '\n';
}

command_description command::description() const {
  command_description made{.name = name_, .summary = summary_, .options = {help_option()}};
  made.footer = "Examples:\n" + examples_ + '\n' + help_on_exit_statuses() + '\n' + footer_;
  for (const option& each : options_) made.options.push_back(each.description_);
  return made;
}

void command::note(const parsed_line& line) {
  for (const given_option& each : line.given)
    given_.push_back(
        {&*std::ranges::find_if(
             options_, [&](const option& one) { return one.description_.name() == each.option->name(); }),
         &each.values});
}

void command::take() {
  for (const given_here& each : given_) {
    if (each.values->empty()) each.which->take_("");
    for (const std::string& value : *each.values) each.which->take_(value);
  }
}

bool command::is_given(std::string_view option) const {
  return std::ranges::any_of(
      given_, [&](const given_here& each) { return each.which->description_.name() == option; });
}

std::vector<command::given_value> command::given() const {
  std::vector<given_value> all;
  for (const given_here& each : given_)
    if (!each.which->description_.is_positional())
      all.push_back({each.which->description_.name(), each.first(),
                     each.which->where_ ? each.which->where_() : everywhere, each.which->formats_});
  return all;
}

std::vector<command_maker>& command_makers() {
  static std::vector<command_maker> all;
  return all;
}

} // namespace evenly::cli
