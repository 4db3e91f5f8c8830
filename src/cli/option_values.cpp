// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "io/numbers.hpp"

namespace evenly::cli {

std::uint64_t parse_whole(std::string_view option, std::string_view text, std::uint64_t least,
                          std::uint64_t most) {
  std::uint64_t found = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (status != std::errc{} || end != text.data() + text.size() || found < least || found > most)
    throw usage_error(
        fmt::format("{} {}: must be a whole number from {} to {}", option, io::in_quotes(text), least, most));
  return found;
}

double parse_positive(std::string_view option, std::string_view text) {
  double found = 0;
  const auto [end, status] = io::parse_real(text.data(), text.data() + text.size(), found);
  if (status != std::errc{} || end != text.data() + text.size() || !(found > 0) || std::isinf(found))
    throw usage_error(fmt::format("{} {}: must be a number above 0", option, io::in_quotes(text)));
  return found;
}

int parse_count(std::string_view option, std::string_view text, int least, int most) {
  if (text.empty()) return 0;
  return static_cast<int>(
      parse_whole(option, text, static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)));
}

std::vector<std::string> parse_list(std::string_view option, std::string_view list) {
  if (list.empty()) return {};
  std::vector<std::string> names;
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    if (name.empty())
      throw usage_error(fmt::format("{}: a name is empty: names stand between single commas", option));
    names.emplace_back(name);
    if (comma != std::string_view::npos) list.remove_prefix(comma + 1);
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
      throw usage_error(fmt::format("{}: {} is named twice", option, io::in_quotes(*at)));
}

} // namespace evenly::cli
