// SPDX-License-Identifier: Apache-2.0
// The programs of command groups. The driver finds them in ../libexec/evenly, relative to its own folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/description.hpp"

namespace evenly::cli {

/// The path of the group's program, whether or not the file exists.
std::filesystem::path program_of(std::string_view group);

/// Replaces this process by the group's program with these arguments. Throws evenly::error with a remedy if the program
/// does not exist. `command`: the requested command, for the message.
[[noreturn]] void become_group(std::string_view group, std::string_view command,
                               std::span<char* const> words);

/// The commands of all groups, in the order of the table. Throws like become_group.
std::vector<command_description> described_commands();

} // namespace evenly::cli
