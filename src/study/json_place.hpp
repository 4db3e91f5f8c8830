// SPDX-License-Identifier: Apache-2.0
// A value in a JSON document that people may have written, and where it is: what breaks a rule is named with its place,
// as in `results[3].ms is -1: a time is positive`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/errors.hpp"

namespace evenly::cli {

class json_place {
 public:
  using json = nlohmann::ordered_json;

  /// `value` must outlive this.
  explicit json_place(const json& value, std::string where = "") : value_(&value), where_(std::move(where)) {}

  const json& value() const { return *value_; }

  /// A member, which must be there.
  json_place at(const std::string& key) const {
    if (!value_->is_object()) fail("must be an object");
    const auto found = value_->find(key);
    const std::string there = where_.empty() ? key : where_ + '.' + key;
    if (found == value_->end()) throw io::file_error(io::printable(there) + " is missing");
    return json_place(*found, there);
  }
  bool has(const std::string& key) const { return value_->is_object() && value_->contains(key); }

  /// Calls visit(place) for each element of an array.
  template <class Visit> void for_each(const Visit& visit) const {
    if (!value_->is_array()) fail("must be an array");
    for (std::size_t i = 0; i < value_->size(); ++i)
      visit(json_place((*value_)[i], fmt::format("{}[{}]", where_, i)));
  }
  /// Calls visit(key, place) for each member of an object.
  template <class Visit> void for_each_member(const Visit& visit) const {
    if (!value_->is_object()) fail("must be an object");
    for (const auto& [key, value] : value_->items()) visit(key, at(key));
  }

  std::string text() const {
    if (!value_->is_string()) fail("must be a string");
    return value_->get<std::string>();
  }
  bool truth() const {
    if (!value_->is_boolean()) fail("must be true or false");
    return value_->get<bool>();
  }
  std::int64_t whole(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const {
    const bool fits =
        value_->is_number_integer() &&
        (!value_->is_number_unsigned() ||
         value_->get<std::uint64_t>() <= std::uint64_t{std::numeric_limits<std::int64_t>::max()});
    if (!fits || value_->get<std::int64_t>() < least || value_->get<std::int64_t>() > most)
      fail(fmt::format("must be a whole number from {} to {}", least, most));
    return value_->get<std::int64_t>();
  }
  /// A number that is at least 0.
  double real() const {
    if (!value_->is_number() || !(value_->get<double>() >= 0)) fail("must be a number that is at least 0");
    return value_->get<double>();
  }
  bool is_null() const { return value_->is_null(); }

  /// Throws file_error with the place, the value and the rule.
  [[noreturn]] void fail(std::string_view rule) const {
    constexpr std::size_t longest = 60;
    std::string found = value_->dump(-1, ' ', false, json::error_handler_t::replace);
    if (found.size() > longest) found = found.substr(0, longest) + "...";
    throw io::file_error(fmt::format("{} is {}: {}", where_.empty() ? "all of it" : io::printable(where_),
                                     io::printable(found), rule));
  }

 private:
  const json* value_;
  std::string where_;
};

} // namespace evenly::cli
