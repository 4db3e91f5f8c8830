// SPDX-License-Identifier: Apache-2.0
// What the command line calls schedules. The names are the registry's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenly::cli {

/// In the registry's order.
std::vector<std::string> schedule_names();

/// The one that is taken where the user names none: it is never much slower than the best, whatever the work.
std::string default_schedule();

/// The name as files have it, which shells leave alone: NAME<8> is NAME_8.
std::string name_in_files(std::string_view schedule);

/// The schedule that is called `name`, by its name or as files have it. Throws usage_error where there is none.
std::string parse_schedule(const std::string& name);

/// A list `NAME,...`, or `all`. Throws usage_error for names that are unknown, empty, or there twice.
std::vector<std::string> parse_schedules(std::string_view list);

} // namespace evenly::cli
