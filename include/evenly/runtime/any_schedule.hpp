// SPDX-License-Identifier: Apache-2.0
// any_schedule: a schedule that is chosen at run time, by name. Use it if the type of the schedule is not known at
// compile time: in a command line, a binding to another language, or a program that makes the choice. It is part of the
// compiled library evenly::runtime.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// Returns the names of all schedules, in the order of schedules/registry.hpp.
const std::vector<std::string>& schedule_names();

/// A schedule's name, and values of some of its parameters. `automatic` becomes one of all schedules when a plan is
/// made (docs/choosing.md).
class any_schedule {
 public:
  /// Reads NAME or NAME:KEY=VALUE,KEY=VALUE, as `group_per_tile<8>` or `merge_path:block_size=256`.
  ///
  /// * NAME: one of schedule_names(), or `automatic`.
  /// * KEY: one of settings(). VALUE: an integer. Other parameters have their defaults.
  /// * Throws invalid_argument, with one line that lists the valid ones, for an invalid name, key or value; also for a
  ///   key that is given twice.
  explicit any_schedule(std::string_view text);

  const std::string& name() const;
  bool is_automatic() const { return index_ == automatic_index; }
  /// Returns its index in schedule_names(); -1 for `automatic`.
  int index() const { return index_; }
  /// Returns the argument of the constructor: the name, and the values that were set, in this order.
  std::string text() const;

  /// Returns each parameter and its value, including parameters that cannot be set because the name determines them.
  std::vector<std::pair<std::string, int>> parameters() const;
  /// Returns the parameters that can be set. All schedules have block_size: the threads of a block, 1 to 1024.
  /// `automatic` passes it to the chosen schedule, and has expected_runs, the number of runs of one plan: 1 to
  /// 1,000,000, by default 100.
  std::vector<std::string> settings() const;
  /// Returns the values that were set, in the order of the calls.
  const std::vector<std::pair<std::string, int>>& set_values() const { return set_; }
  bool is_set(std::string_view key) const;
  /// Sets a parameter, also again. Throws invalid_argument for an invalid key or value.
  void set(std::string_view key, int value);

 private:
  static constexpr int automatic_index = -1;

  int index_;
  std::vector<std::pair<std::string, int>> set_;
};

} // namespace evenly
