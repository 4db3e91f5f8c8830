// SPDX-License-Identifier: Apache-2.0
// The JSON of measurements: machine and date, then one line per candidate. scripts/tables.py reads it.
#pragma once

#include <string>

#include "json/value.hpp"
#include "measure/measure.hpp"

namespace evenly::measure {

/// The members machine, date and commit. `gpu`: its name, empty if no GPU was used.
json::value result_head(const std::string& gpu = {});

/// The number, or null if it is not known.
json::value number_if(bool known, double number);
/// Adds ms, ms_min and ms_max to `line`; null unless the result is correct.
void put_times(json::value& line, const timing& time, bool right);

/// Results of a benchmark: a head, the members of `more`, and `results`.
class report {
 public:
  explicit report(const std::string& gpu = {}, const json::value& more = {});

  /// Adds a result: `line`, ok, and ms, ms_min and ms_max, which are null if the result is wrong. Adds `chosen` if the
  /// candidate chose its schedule, and gbps if the line has `bytes`.
  void add(json::value line, const measurement& m);
  bool all_right() const { return all_right_; }
  /// Does nothing for an empty path. Throws host::output_error.
  void write(const std::string& path) const;

 private:
  json::value all_;
  bool all_right_ = true;
};

} // namespace evenly::measure
