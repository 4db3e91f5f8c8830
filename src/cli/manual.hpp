// SPDX-License-Identifier: Apache-2.0
// The manual page and the completion scripts of shells, generated from the descriptions that --help shows.
#pragma once

#include <string>

#include "cli/description.hpp"

namespace evenly::cli {

/// A page of section 1 for man(1): all commands, options, examples and exit statuses.
std::string manual(const program_description& program);

enum class shell { bash, zsh, fish };

/// A completion script for this shell: commands, options and values with names.
std::string completion(const program_description& program, shell of);

} // namespace evenly::cli
