// SPDX-License-Identifier: Apache-2.0
#include "evenly/runtime/any_schedule.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "evenly/core/errors.hpp"
#include "runtime/quoted.hpp"
#include "runtime/settings.hpp"

namespace evenly {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : ", ") + each;
  return text;
}

const std::string automatic_name = "automatic";

/// -1 for automatic.
int index_of(std::string_view name) {
  if (name == automatic_name) return -1;
  const std::vector<std::string>& known = schedule_names();
  const auto found = std::ranges::find(known, name);
  require(found != known.end(), [&] {
    return detail::quoted(name) + " is not a schedule; choose one of automatic, " + joined(known);
  });
  return static_cast<int>(found - known.begin());
}

/// Parses one KEY=VALUE.
std::pair<std::string_view, int> parse_setting(const std::string& schedule, std::string_view text) {
  const std::size_t equals = text.find('=');
  require(equals != std::string_view::npos,
          [&] { return schedule + ": " + detail::quoted(text) + " must be KEY=VALUE"; });
  const std::string_view key = text.substr(0, equals), digits = text.substr(equals + 1);
  int value = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  require(status == std::errc{} && end == digits.data() + digits.size(), [&] {
    return schedule + ": " + detail::quoted(key) + " is " + detail::quoted(digits) +
           ": must be a whole number";
  });
  return {key, value};
}

} // namespace

const std::vector<std::string>& schedule_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for_each_schedule([&](const char* name, const auto&) { all.emplace_back(name); });
    return all;
  }();
  return names;
}

any_schedule::any_schedule(std::string_view text) : index_(index_of(text.substr(0, text.find(':')))) {
  if (text.find(':') == std::string_view::npos) return;
  std::string_view rest = text.substr(text.find(':') + 1);
  for (bool more = true; more;) {
    const std::size_t comma = rest.find(',');
    const auto [key, value] = parse_setting(name(), rest.substr(0, comma));
    require(!is_set(key), [&] { return name() + ": " + detail::quoted(key) + " is given twice"; });
    set(key, value);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
  }
}

std::string any_schedule::text() const {
  std::string text = name();
  for (const auto& [key, value] : set_)
    text += (text.size() == name().size() ? ':' : ',') + key + '=' + std::to_string(value);
  return text;
}

const std::string& any_schedule::name() const {
  return is_automatic() ? automatic_name : schedule_names()[static_cast<std::size_t>(index_)];
}

std::vector<std::pair<std::string, int>> any_schedule::parameters() const {
  std::vector<std::pair<std::string, int>> all;
  if (is_automatic()) return detail::parameters_of_automatic(*this);
  detail::with_schedule(*this, [&](const auto& schedule) {
    schedule.parameters([&](const char* key, auto value) { all.emplace_back(key, static_cast<int>(value)); });
  });
  return all;
}

std::vector<std::string> any_schedule::settings() const {
  if (is_automatic()) return {"block_size", detail::expected_runs_key};
  std::vector<std::string> keys;
  detail::with_schedule(index_, [&](auto schedule) {
    detail::for_each_setting(schedule, [&](const char* key, auto, int, int) { keys.emplace_back(key); });
  });
  return keys;
}

bool any_schedule::is_set(std::string_view key) const {
  return std::ranges::any_of(set_, [&](const auto& each) { return each.first == key; });
}

void any_schedule::set(std::string_view key, int value) {
  bool known = false;
  const auto check = [&](std::string_view each, int min, int max) {
    if (each != key) return;
    known = true;
    require(value >= min && value <= max, [&] {
      return name() + ": " + std::string(key) + " = " + std::to_string(value) + ": must be from " +
             std::to_string(min) + " to " + std::to_string(max);
    });
  };
  if (is_automatic()) {
    check("block_size", 1, max_block_size);
    check(detail::expected_runs_key, 1, detail::max_expected_runs);
  } else {
    detail::with_schedule(index_, [&](auto schedule) {
      detail::for_each_setting(schedule,
                               [&](std::string_view each, auto, int min, int max) { check(each, min, max); });
    });
  }
  require(known, [&] {
    return name() + ": " + detail::quoted(key) + " is not a parameter; choose one of " + joined(settings());
  });
  std::erase_if(set_, [&](const auto& each) { return each.first == key; });
  set_.emplace_back(key, value);
}

} // namespace evenly
