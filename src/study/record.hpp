// SPDX-License-Identifier: Apache-2.0
// The members of a JSON object that describe a C++ object. One list of members serves both directions:
//
//   void fields(record& io, task_study_input& of) {
//     io("input", of.input);
//     io("leaves", of.leaves, 1, of.nodes);
//   }
//
// to_json writes the members in this order. from_json reads them, and throws io::file_error with the position of a
// value that is missing, of another type or out of range.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.hpp"
#include "measure/measure.hpp"

namespace evenly::study {

// A value in a JSON document that people may have edited, with its position. Errors name both, as in `results[3].ms is
// -1: a time must be positive`.

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

class record;
inline std::string identity(const std::string& text) { return text; }
template <class Each> json::value to_json(Each each);
template <class Each> Each from_json(const json_place& from);

class record {
 public:
  record() = default;                                          ///< writes
  explicit record(json_place from) : from_(std::move(from)) {} ///< reads

  bool reads() const { return from_.has_value(); }
  const json_place& place() const { return *from_; } ///< requires reads()
  bool has(const char* key) const { return reads() && from_->has(key); }
  json::value& json() { return json_; } ///< the object, if it is written

  void operator()(const char* key, std::string& text);
  void operator()(const char* key, bool& truth);
  void operator()(const char* key, double& number);                   ///< at least 0
  void operator()(const char* key, std::optional<std::string>& text); ///< absent if empty
  template <std::integral Whole>
  requires(!std::same_as<Whole, bool>)
  void operator()(const char* key, Whole& number, std::int64_t min = 0, std::int64_t max = max_of<Whole>) {
    if (reads())
      number = static_cast<Whole>(from_->at(key).whole(min, max));
    else
      json_[key] = number;
  }
  template <class Member> void if_any(const char* key, Member& member) { ///< absent if empty
    if (has(key) || (!reads() && !member.empty())) (*this)(key, member);
  }
  void object(const char* key, const std::function<void(record&)>& members);

  /// A list of strings, records or positive numbers. Elements with an identity must differ in it. check(place, element)
  /// is called for each element that was read.
  template <class Each, class Check = decltype([](const json_place&, const Each&) {})>
  void list(const char* key, std::vector<Each>& all, const Check& check = {}) {
    if (!reads()) {
      json::value& list = json_[key] = json::array();
      for (const Each& each : all) list.push_back(to_json(each));
      return;
    }
    std::set<std::string> known;
    from_->at(key).for_each([&](const json_place& each) {
      Each found = from_json<Each>(each);
      check(each, found);
      if constexpr (requires { identity(found); })
        if (!known.insert(identity(found)).second) each.fail(identity(found) + " appears twice");
      all.push_back(std::move(found));
    });
  }

  /// The members ok, error, ms, ms_min and ms_max.
  void outcome(std::optional<std::string>& error, measure::timing& time);

  /// Fails at `key` if a value that was read breaks a rule.
  void require(bool holds, const char* key, std::string_view rule) const {
    if (reads() && !holds) from_->at(key).fail(rule);
  }

 private:
  template <class Whole>
  static constexpr std::int64_t max_of =
      sizeof(Whole) < sizeof(std::int64_t) ? static_cast<std::int64_t>(std::numeric_limits<Whole>::max())
                                           : std::numeric_limits<std::int64_t>::max();

  std::optional<json_place> from_;
  json::value json_;
};

template <class Each> json::value to_json(Each each) {
  if constexpr (requires(record& io) { fields(io, each); }) {
    record io;
    fields(io, each);
    return std::move(io.json());
  } else {
    return each;
  }
}

template <class Each> Each from_json(const json_place& from) {
  if constexpr (std::same_as<Each, std::string>) {
    return from.text();
  } else if constexpr (std::integral<Each>) {
    return static_cast<Each>(from.whole(1));
  } else {
    Each made;
    record io(from);
    fields(io, made);
    return made;
  }
}

} // namespace evenly::study
