// SPDX-License-Identifier: Apache-2.0
// Parses workloads: NAME:KEY=VALUE,...
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "io/numbers.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::measure {

/// The parts of NAME:KEY=VALUE,... All errors are usage_errors with the text.
class words_of_workload {
 public:
  explicit words_of_workload(const std::string& text) : text_(text), name_(text.substr(0, text.find(':'))) {
    if (name_.size() == text.size()) return;
    std::string_view rest = std::string_view(text).substr(name_.size() + 1);
    for (bool more = true; more;) {
      const auto comma = rest.find(',');
      more = comma != std::string_view::npos;
      take(rest.substr(0, comma));
      if (more) rest.remove_prefix(comma + 1);
    }
  }

  const std::string& name() const { return name_; }

  std::int64_t whole(const std::string& key, std::int64_t min, std::int64_t max,
                     std::optional<std::int64_t> otherwise = {}) {
    const double found = number(key, static_cast<double>(min), static_cast<double>(max),
                                otherwise ? std::optional(static_cast<double>(*otherwise)) : std::nullopt);
    if (found != std::floor(found)) fail(fmt::format("{} must be a whole number", key));
    return static_cast<std::int64_t>(found);
  }
  double number(const std::string& key, double min, double max, std::optional<double> otherwise = {}) {
    const std::string value = taken(key);
    if (value.empty()) {
      if (!otherwise) fail(fmt::format("{} is missing", key));
      return *otherwise;
    }
    double found = 0;
    const auto [end, status] = io::parse_real(value.data(), value.data() + value.size(), found);
    if (status != std::errc() || end != value.data() + value.size() || !(found >= min && found <= max))
      fail(fmt::format("{} must be a number from {} to {}", key, min, max));
    return found;
  }
  template <class Value>
  Value choice(const std::string& key, const std::vector<std::pair<std::string, Value>>& all) {
    const std::string value = taken(key);
    if (value.empty()) return all.front().second;
    std::vector<std::string> names;
    for (const auto& [name, meaning] : all) {
      if (name == value) return meaning;
      names.push_back(name);
    }
    fail(fmt::format("{} must be one of {}", key, joined(names)));
  }
  /// Call this after all known keys have been requested.
  void refuse_others() const {
    if (!given_.empty()) fail(fmt::format("{} has no {}", name_, host::in_quotes(given_.begin()->first)));
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw usage_error(fmt::format("{}: {}", host::in_quotes(text_), why));
  }

 private:
  void take(std::string_view item) {
    const auto sign = item.find('=');
    if (sign == std::string_view::npos || sign == 0 || sign + 1 == item.size())
      fail(fmt::format("{} must be KEY=VALUE", host::in_quotes(std::string(item))));
    if (!given_.emplace(item.substr(0, sign), item.substr(sign + 1)).second)
      fail(fmt::format("{} is given twice", item.substr(0, sign)));
  }
  std::string taken(const std::string& key) {
    const auto found = given_.find(key);
    if (found == given_.end()) return {};
    std::string value = found->second;
    given_.erase(found);
    return value;
  }

  std::string text_;
  std::string name_;
  std::map<std::string, std::string> given_;
};

} // namespace evenly::measure
