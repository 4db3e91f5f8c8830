// SPDX-License-Identifier: Apache-2.0
// A value in a JSON document that people may have edited, with its position. Errors name both, as in `results[3].ms is
// -1: a time must be positive`.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "json/value.hpp"

namespace evenly::study {

/// Functions that need another type or range throw io::file_error.
class json_place {
 public:
  /// `value` must outlive the object.
  explicit json_place(const json::value& value, std::string where = "")
      : value_(&value), where_(std::move(where)) {}

  const json::value& value() const { return *value_; }

  /// A member, which must exist.
  json_place at(const std::string& key) const;
  bool has(const std::string& key) const { return value_->contains(key); }

  /// Calls visit(place) for each element of an array.
  void for_each(const std::function<void(const json_place&)>& visit) const;
  /// Calls visit(key, place) for each member of an object.
  void for_each_member(const std::function<void(const std::string&, const json_place&)>& visit) const;

  std::string text() const;
  bool truth() const;
  std::int64_t whole(std::int64_t min, std::int64_t max = std::numeric_limits<std::int64_t>::max()) const;
  /// A number that is at least 0.
  double real() const;
  bool is_null() const { return value_->is_null(); }

  /// Throws file_error with the place, the value and the rule.
  [[noreturn]] void fail(std::string_view rule) const;

 private:
  const json::value* value_;
  std::string where_;
};

} // namespace evenly::study
