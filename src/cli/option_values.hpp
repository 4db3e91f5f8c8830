// SPDX-License-Identifier: Apache-2.0
// What the values of options mean: numbers are plain digits in a range, names are known ones, a list has no holes and
// names nothing twice. All functions throw usage_error with the option, the value and the rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenly::cli {

/// From `min` to `max`, both included.
struct whole_range {
  int min;
  int max;
};

/// The number that digits, and nothing else, write in `text`, in [min, max].
std::uint64_t parse_whole(std::string_view option, std::string_view text, std::uint64_t min,
                          std::uint64_t max);
int parse_count(std::string_view option, std::string_view text, whole_range range);

/// The parts of a list between its commas. Refuses empty parts.
std::vector<std::string> parse_list(std::string_view option, std::string_view list);

/// The names of `NAME,...`. Refuses empty names and names that are there twice.
std::vector<std::string> parse_names(std::string_view option, std::string_view list);

/// Refuses a name that is twice in the list. For names that can be written in several ways, once they are looked up.
void refuse_repeated(std::string_view option, const std::vector<std::string>& names);

/// Names of values.
template <class Value> using choices = std::vector<std::pair<std::string, Value>>;

template <class Value> std::vector<std::string> names(const choices<Value>& all) {
  std::vector<std::string> list;
  for (const auto& [name, value] : all) list.push_back(name);
  return list;
}

/// The place of `name` among `known`. `what`: with its article, for the message.
std::size_t place_of(std::span<const std::string> known, std::string_view what, const std::string& name);

/// The value called `name`.
template <class Value> Value pick(const choices<Value>& all, std::string_view what, const std::string& name) {
  return all[place_of(names(all), what, name)].second;
}

} // namespace evenly::cli
