// SPDX-License-Identifier: Apache-2.0
// The table of all commands. A command is an object in a file NAME_command.cpp of its folder (command.hpp). The
// commands of a folder are one program, libexec/evenly/evenly-GROUP, which the driver `evenly` starts.
#pragma once

#include <span>
#include <string_view>

namespace evenly::cli {

struct listed_command {
  std::string_view name;
  std::string_view group; ///< empty for a command of the driver itself
  std::string_view summary;
};

inline constexpr std::string_view program_summary =
    "Distributes irregular work evenly among the threads of a GPU or a CPU.";

/// In the order of help.
std::span<const listed_command> all_commands();

} // namespace evenly::cli
