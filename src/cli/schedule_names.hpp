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

/// A list `NAME,...`, or `all`. Throws usage_error for an unknown name.
std::vector<std::string> parse_schedules(std::string_view list);

} // namespace evenly::cli
