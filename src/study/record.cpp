// SPDX-License-Identifier: Apache-2.0
#include "study/record.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "measure/report.hpp"

namespace evenly::study {

json_place json_place::at(const std::string& key) const {
  if (!value_->is_object()) fail("must be an object");
  const std::string there = where_.empty() ? key : where_ + '.' + key;
  if (!has(key)) throw io::file_error(host::printable(there) + " is missing");
  return json_place(value_->at(key), there);
}

void json_place::for_each(const std::function<void(const json_place&)>& visit) const {
  if (!value_->is_array()) fail("must be an array");
  for (std::size_t i = 0; i < value_->size(); ++i)
    visit(json_place((*value_)[i], fmt::format("{}[{}]", where_, i)));
}

void json_place::for_each_member(
    const std::function<void(const std::string&, const json_place&)>& visit) const {
  if (!value_->is_object()) fail("must be an object");
  for (const auto& [key, value] : value_->items()) visit(key, at(key));
}

std::string json_place::text() const {
  if (!value_->is_string()) fail("must be a string");
  return value_->as_string();
}

bool json_place::truth() const {
  if (!value_->is_bool()) fail("must be true or false");
  return value_->as_bool();
}

std::int64_t json_place::whole(std::int64_t min, std::int64_t max) const {
  if (!value_->fits_int64() || value_->as_int64() < min || value_->as_int64() > max)
    fail(fmt::format("must be a whole number from {} to {}", min, max));
  return value_->as_int64();
}

double json_place::real() const {
  if (!value_->is_number() || !(value_->as_double() >= 0)) fail("must be a number that is at least 0");
  return value_->as_double();
}

void json_place::fail(std::string_view rule) const {
  constexpr std::size_t longest = 60;
  std::string found = json::dump_line(*value_);
  if (found.size() > longest) found = found.substr(0, longest) + "...";
  throw io::file_error(fmt::format("{} is {}: {}", where_.empty() ? "all of it" : host::printable(where_),
                                   host::printable(found), rule));
}

void record::operator()(const char* key, std::string& text) {
  if (reads())
    text = from_->at(key).text();
  else
    json_[key] = text;
}
void record::operator()(const char* key, bool& truth) {
  if (reads())
    truth = from_->at(key).truth();
  else
    json_[key] = truth;
}
void record::operator()(const char* key, double& number) {
  if (reads())
    number = from_->at(key).real();
  else
    json_[key] = number;
}
void record::operator()(const char* key, std::optional<std::string>& text) {
  if (has(key)) text = from_->at(key).text();
  if (!reads() && text) json_[key] = *text;
}

void record::object(const char* key, const std::function<void(record&)>& members) {
  record inner;
  if (reads()) inner.from_ = from_->at(key);
  members(inner);
  if (!reads()) json_[key] = std::move(inner.json_);
}

void record::outcome(std::optional<std::string>& error, measure::timing& time) {
  bool ok = !error;
  (*this)("ok", ok);
  (*this)("error", error);
  if (!reads()) {
    measure::put_times(json_, time, ok);
    return;
  }
  require(!ok || !error, "error", "must be null for a run that is ok");
  if (!ok) {
    if (!error) error = "failed";
    for (const char* key : {"ms", "ms_min", "ms_max"})
      require(from_->at(key).is_null(), key, "must be null for a run that is not ok");
    return;
  }
  (*this)("ms", time.median);
  (*this)("ms_min", time.min);
  (*this)("ms_max", time.max);
  require(time.median > 0, "ms", "a time must be positive");
  require(time.min <= time.median, "ms_min", "must be at most ms");
  require(time.max >= time.median, "ms_max", "must be at least ms");
}

} // namespace evenly::study
