// SPDX-License-Identifier: Apache-2.0
#include "study/record.hpp"

#include "measure/report.hpp"

namespace evenly::study {

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
