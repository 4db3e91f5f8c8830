// SPDX-License-Identifier: Apache-2.0
// Exit statuses of the program.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace evenly::cli {

/// An exit status (`0`, `1`, `2`, `128 + N`) and its meaning.
struct exit_status {
  std::string_view status;
  std::string_view meaning;
};
std::span<const exit_status> exit_statuses();

/// The paragraph of --help; its last line ends with a newline.
std::string help_on_exit_statuses();

/// Prints `evenly: message` to standard error, as one line, and returns `status`.
int report(std::string message, int status);

/// Returns work(), or prints its exception as one line to standard error and returns the exit status. A broken pipe
/// ends the process by SIGPIPE. Call this first in main: afterwards, other writes to a broken pipe or above the file
/// size limit fail instead of ending the process.
int guarded(const std::function<int()>& work);

} // namespace evenly::cli
