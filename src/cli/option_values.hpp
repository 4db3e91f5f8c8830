// SPDX-License-Identifier: Apache-2.0
// Parsing of option values: numbers are plain digits in a range, names must be known, and lists must have no empty or
// repeated names. All functions throw usage_error with the option, the value and the rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenly::cli {

/// From `min` to `max`, inclusive.
struct whole_range {
  int min;
  int max;
};

/// Parses `text`, which must consist of digits only, as a number in [min, max].
std::uint64_t parse_whole(std::string_view option, std::string_view text, std::uint64_t min,
                          std::uint64_t max);
int parse_count(std::string_view option, std::string_view text, whole_range range);

/// The parts of a list separated by commas. Refuses empty parts.
std::vector<std::string> parse_list(std::string_view option, std::string_view list);

/// The names of `NAME,...`. Refuses empty and repeated names.
std::vector<std::string> parse_names(std::string_view option, std::string_view list);

/// Refuses a repeated name. For names with several spellings, call it after the look-up.
void refuse_repeated(std::string_view option, const std::vector<std::string>& names);

/// Pairs of a name and its value.
template <class Value> using choices = std::vector<std::pair<std::string, Value>>;

template <class Value> std::vector<std::string> names(const choices<Value>& all) {
  std::vector<std::string> list;
  for (const auto& [name, value] : all) list.push_back(name);
  return list;
}

/// The index of `name` in `known`. `what` describes the names in errors, with an article.
std::size_t place_of(std::span<const std::string> known, std::string_view what, const std::string& name);

/// The value of `name`.
template <class Value> Value pick(const choices<Value>& all, std::string_view what, const std::string& name) {
  return all[place_of(names(all), what, name)].second;
}

} // namespace evenly::cli
