// SPDX-License-Identifier: Apache-2.0
#include "generate/spec.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"
#include "io/numbers.hpp"

namespace evenly::generate {

parameters::parameters(std::string_view text, const generator_info& known, wanted what)
    : text_(text), known_(known), what_(what) {
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    std::string_view rest = text.substr(colon + 1);
    for (std::size_t comma = 0; comma != std::string_view::npos; rest.remove_prefix(comma + 1)) {
      comma = rest.find(',');
      take(rest.substr(0, comma));
      if (comma == std::string_view::npos) break;
    }
  }
  for (const generator_key& key : known_.keys)
    if (key.standard.empty() && !given(key.name))
      fail(fmt::format("{} is missing: {}", key.name, usage(known_)));
}

void parameters::take(std::string_view item) {
  const std::size_t equals = item.find('=');
  const std::string_view key = item.substr(0, equals);
  if (given_.empty() && equals == std::string_view::npos && !item.empty() &&
      std::isdigit(static_cast<unsigned char>(item.front())) != 0) {
    given_.emplace_back(known_.keys.front().name, item);
    return;
  }
  const bool is_known =
      std::ranges::any_of(known_.keys, [&](const generator_key& k) { return k.name == key; });
  if (!is_known)
    fail(fmt::format("{} is not a parameter of {}: {}", host::in_quotes(key), known_.name, usage(known_)));
  if (given(key)) fail(fmt::format("{} is given twice", key));
  if (equals == std::string_view::npos || equals + 1 == item.size())
    fail(fmt::format("{} has no value", key));
  given_.emplace_back(key, item.substr(equals + 1));
}

bool parameters::given(std::string_view key) const {
  return std::ranges::any_of(given_, [&](const auto& pair) { return pair.first == key; });
}

std::string_view parameters::value(std::string_view key) const {
  for (const auto& [name, text] : given_)
    if (name == key) return text;
  return std::ranges::find(known_.keys, key, &generator_key::name)->standard;
}

double parameters::number(std::string_view key) const {
  const std::string_view text = value(key);
  double found = 0;
  const auto [stop, status] = io::parse_real(text.data(), text.data() + text.size(), found);
  if (status == std::errc::result_out_of_range)
    fail(fmt::format("{} = {} is out of range", key, host::in_quotes(text)));
  if (status != std::errc{} || stop != text.data() + text.size() || std::isnan(found))
    fail(fmt::format("{} = {} is not a number", key, host::in_quotes(text)));
  return found;
}

std::int64_t parameters::count(std::string_view key, std::int64_t min, std::int64_t max) const {
  const double found = number(key);
  if (found < static_cast<double>(min) || found > static_cast<double>(max))
    fail(fmt::format("{} = {} must be {} to {}", key, host::in_quotes(value(key)), min, max));
  if (found != std::floor(found))
    fail(fmt::format("{} = {} must be a whole number", key, host::in_quotes(value(key))));
  return static_cast<std::int64_t>(found);
}

double parameters::real(std::string_view key, double min, double max) const {
  const double found = number(key);
  if (found < min || found > max)
    fail(fmt::format("{} = {} must be {} to {}", key, host::in_quotes(value(key)), min, max));
  return found;
}

std::uint64_t parameters::seed() const {
  constexpr std::int64_t max = std::int64_t{1} << 53; // the maximum for which all whole numbers are doubles
  return static_cast<std::uint64_t>(count("seed", 0, max));
}

void parameters::check_entries(std::int64_t entries) const {
  constexpr std::int64_t max = std::numeric_limits<int>::max();
  if (entries > max)
    fail(fmt::format("the matrix would have more than {} entries, the supported maximum", max));
}

void parameters::require_memory(std::int64_t bytes) const {
  if (const auto shortage = host::memory_shortage(bytes)) throw host::memory_error(complaint(*shortage));
}

std::string parameters::complaint(std::string_view what) const {
  return fmt::format("{}: {}", host::printable(text_.substr(0, 200)), what);
}

void parameters::fail(std::string_view what) const { throw host::spec_error(complaint(what)); }

} // namespace evenly::generate
