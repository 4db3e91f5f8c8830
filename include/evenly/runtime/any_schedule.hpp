// SPDX-License-Identifier: Apache-2.0
// any_schedule: a schedule that is chosen at run time, by its name, for who cannot have it as a type: a command line, a
// binding to another language, a choice that a program makes itself. In the library evenly::runtime, which is compiled.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evenly/core/annotations.hpp"

namespace evenly {

/// The names of all schedules, in the order of schedules/registry.hpp.
const std::vector<std::string>& schedule_names();

/// A schedule's name, and values for some of its parameters; or `automatic`, which becomes one of all schedules when a
/// plan is made (docs/choosing.md).
class any_schedule {
 public:
  /// `text` is NAME or NAME:KEY=VALUE,KEY=VALUE, as `group_per_tile<8>` or `merge_path:block_size=256`. NAME is one of
  /// schedule_names() or `automatic`, KEY one of settings(), VALUE a whole number; what is not set has its default.
  ///
  /// Throws invalid_argument, in one line, for a name, a key or a value that cannot be, and lists those that can; also
  /// for a key that is given twice.
  explicit any_schedule(std::string_view text);

  const std::string& name() const;
  bool is_automatic() const { return index_ == automatic_index; }
  /// Its place in schedule_names(). Of what is automatic there is none.
  int index() const { return index_; }
  /// What the constructor takes: the name, and what was set, in that order.
  std::string text() const;

  /// Each parameter and its value, also those that cannot be set, as the name decides on them.
  std::vector<std::pair<std::string, int>> parameters() const;
  /// Those that can be set. All have block_size: the threads of a block, 1 to 1024. What is automatic has it for the
  /// one that it becomes, and expected_runs, of one plan, 1 to 1,000,000: 100.
  std::vector<std::string> settings() const;
  /// What was set, in that order.
  const std::vector<std::pair<std::string, int>>& set_values() const { return set_; }
  bool is_set(std::string_view key) const;
  /// Sets a parameter, or sets it anew. Throws invalid_argument.
  void set(std::string_view key, int value);

 private:
  static constexpr int automatic_index = -1;

  int index_;
  std::vector<std::pair<std::string, int>> set_;
};

} // namespace evenly
