// SPDX-License-Identifier: Apache-2.0
// How the program ends.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace evenly::cli {

/// How the program ends, and why: `0`, `1`, `2`, `128 + N`.
struct exit_status {
  std::string_view status;
  std::string_view meaning;
};
std::span<const exit_status> exit_statuses();

/// As a paragraph of --help, the last line with its newline.
std::string help_on_exit_statuses();

/// Prints `evenly: message` to standard error, as one line, and returns `status`.
int report(std::string message, int status);

/// Returns work(), or the exit status of what it throws, after one line on standard error. A broken pipe ends the
/// process by SIGPIPE. To be called first in main: other writes to a broken pipe, or beyond the limit of a file's size,
/// fail from then on and do not end the process.
int guarded(const std::function<int()>& work);

} // namespace evenly::cli
