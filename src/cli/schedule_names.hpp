// SPDX-License-Identifier: Apache-2.0
// What the command line calls schedules: NAME or NAME:KEY=VALUE,... as any_schedule takes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "evenly/runtime/any_schedule.hpp"

namespace evenly::cli {

/// The one that is taken where the user names none: it is never much slower than the best, whatever the work.
any_schedule default_schedule();
/// One by its name, for texts that show how things are said.
any_schedule example_schedule();

/// The name as files have it, which shells leave alone: NAME<8> is NAME_8.
std::string name_in_files(std::string_view schedule);

/// The schedule that `text` stands for, with its name or the name as files have it. Throws usage_error where there is
/// none.
any_schedule parse_schedule(const std::string& text);

/// A list `SCHEDULE,...`, or `all`: then there are none in it. A part that is KEY=VALUE goes with the schedule before
/// it. Throws usage_error for schedules that are unknown, empty, or there twice.
std::vector<any_schedule> parse_schedules(std::string_view list);

/// `chosen` with blocks of `block_size` threads (0: its own), unless it says itself how many.
any_schedule with_block_size(any_schedule chosen, int block_size);

/// The names of `all` as files have them, `first` before them: what shells complete.
std::vector<std::string> schedule_completions(std::vector<std::string> first,
                                              const std::vector<any_schedule>& all);
std::vector<std::string> schedule_completions(std::vector<std::string> first = {"automatic"});

/// --schedule NAME. Help names the default.
option& add_schedule(command& to, any_schedule& chosen);
/// --schedule NAME,...
option& add_schedules(command& to, std::vector<any_schedule>& chosen, std::string help);

} // namespace evenly::cli
