// SPDX-License-Identifier: Apache-2.0
// The programs of command groups, as the driver finds them: in ../libexec/evenly beside its own folder.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/description.hpp"

namespace evenly::cli {

/// Whether or not it is there.
std::filesystem::path program_of(std::string_view group);

/// Replaces this process by the group's program, with these words. Throws evenly::error, which says what to do, if
/// there is no such program; `command` is the one that needs it.
[[noreturn]] void become_group(std::string_view group, std::string_view command,
                               std::span<char* const> words);

/// The commands of all groups, in the order of the table. Throws as become_group.
std::vector<command_description> described_commands();

} // namespace evenly::cli
