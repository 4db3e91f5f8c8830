// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "host/errors.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {

using measure::joined, measure::usage_error;

std::uint64_t parse_whole(std::string_view option, std::string_view text, std::uint64_t min,
                          std::uint64_t max) {
  std::uint64_t found = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (status != std::errc{} || end != text.data() + text.size() || found < min || found > max)
    throw usage_error(std::string(option) + ' ' + host::in_quotes(text) + ": must be a whole number from " +
                      std::to_string(min) + " to " + std::to_string(max));
  return found;
}

int parse_count(std::string_view option, std::string_view text, whole_range range) {
  return static_cast<int>(parse_whole(option, text, static_cast<std::uint64_t>(range.min),
                                      static_cast<std::uint64_t>(range.max)));
}

std::vector<std::string> parse_list(std::string_view option, std::string_view list) {
  std::vector<std::string> names;
  for (std::size_t comma = 0; comma != list.npos;) {
    comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    if (name.empty())
      throw usage_error(std::string(option) +
                        ": the list has an empty name: separate names with single commas");
    names.emplace_back(name);
    if (comma != list.npos) list.remove_prefix(comma + 1);
  }
  return names;
}

std::vector<std::string> parse_names(std::string_view option, std::string_view list) {
  std::vector<std::string> names = parse_list(option, list);
  refuse_repeated(option, names);
  return names;
}

void refuse_repeated(std::string_view option, const std::vector<std::string>& names) {
  for (auto at = names.begin(); at != names.end(); ++at)
    if (std::find(names.begin(), at, *at) != at)
      throw usage_error(std::string(option) + ": " + host::in_quotes(*at) + " is named twice");
}

std::size_t place_of(std::span<const std::string> known, std::string_view what, const std::string& name) {
  const auto found = std::ranges::find(known, name);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  throw usage_error(host::in_quotes(name) + " is not " + std::string(what) + host::did_you_mean(name, known) +
                    "; choose one of " + joined({known.begin(), known.end()}));
}

} // namespace evenly::cli
