// SPDX-License-Identifier: Apache-2.0
// What stands behind an option, taken at its word: numbers are plain digits in a range, names are known ones, a list
// has no holes and says nothing twice. All functions throw usage_error with the option, the value and the rule.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "io/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {

/// The number that digits, and nothing else, write in `text`, in [least, most].
std::uint64_t parse_whole(std::string_view option, std::string_view text, std::uint64_t least,
                          std::uint64_t most);

/// The number, more than 0, that `text` writes.
double parse_positive(std::string_view option, std::string_view text);

/// As parse_whole where an int is enough; 0 where `text` is empty, as options are that were not given.
int parse_count(std::string_view option, std::string_view text, int least, int most);

/// What stands between the commas of a list; nothing in an empty one. Refuses empty parts.
std::vector<std::string> parse_list(std::string_view option, std::string_view list);

/// The names of `NAME,...`; none of an empty list. Refuses empty names and names that are there twice.
std::vector<std::string> parse_names(std::string_view option, std::string_view list);

/// Refuses a name that is twice in the list. For names that can be written in several ways, once they are looked up.
void refuse_repeated(std::string_view option, const std::vector<std::string>& names);

/// What can be said, and what it means.
template <class Value> using choices = std::vector<std::pair<std::string, Value>>;

template <class Value> std::vector<std::string> names(const choices<Value>& all) {
  std::vector<std::string> list;
  for (const auto& [name, value] : all) list.push_back(name);
  return list;
}

/// The value called `name`. `what`: with its article, for the message.
template <class Value> Value pick(const choices<Value>& all, std::string_view what, const std::string& name) {
  for (const auto& [known, value] : all)
    if (known == name) return value;
  const std::vector<std::string> known = names(all);
  throw usage_error(fmt::format("{} is not {}{}; there are {}", io::in_quotes(name), what,
                                io::did_you_mean(name, known), joined(known)));
}

/// The same; nothing where `name` is empty, as options are that were not given.
template <class Value>
std::optional<Value> pick_if_given(const choices<Value>& all, std::string_view what,
                                   const std::string& name) {
  if (name.empty()) return {};
  return pick(all, what, name);
}

} // namespace evenly::cli
