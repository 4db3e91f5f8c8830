// SPDX-License-Identifier: Apache-2.0
// Names of schedules on the command line: NAME or NAME:KEY=VALUE,..., in the syntax of any_schedule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "evenly/runtime/any_schedule.hpp"

namespace evenly::cli {

/// The default: never much slower than the best schedule.
any_schedule default_schedule();
/// A schedule with a short name: for examples in help, and the one that is explained and drawn by default.
any_schedule example_schedule();

/// The name as part of a file name, without special characters of shells: NAME_8 for NAME<8>.
std::string name_in_files(std::string_view schedule);

/// The schedule of `text`, a name or a name as part of a file name. Throws usage_error for an unknown name.
any_schedule parse_schedule(const std::string& text);

/// Parses `SCHEDULE,...`, or `all`, which gives an empty list. A part KEY=VALUE belongs to the schedule before it.
/// Throws usage_error for unknown, empty and repeated schedules.
std::vector<any_schedule> parse_schedules(std::string_view list);

/// `chosen` with a block size of `block_size` threads (0: the default), unless its parameters set one.
any_schedule with_block_size(any_schedule chosen, int block_size);

/// The names of `all` as parts of file names, after `first`: completions for shells.
std::vector<std::string> schedule_completions(std::vector<std::string> first,
                                              const std::vector<any_schedule>& all);
std::vector<std::string> schedule_completions(std::vector<std::string> first = {"automatic"});

/// Adds --schedule NAME. Help shows the default.
option& add_schedule(command& to, any_schedule& chosen);
/// Adds --schedule NAME,...
option& add_schedules(command& to, std::vector<any_schedule>& chosen, std::string help);

} // namespace evenly::cli
