// SPDX-License-Identifier: Apache-2.0
// The manual page and the scripts with which shells complete, made of the descriptions that --help is made of.
#pragma once

#include <string>

#include "cli/description.hpp"

namespace evenly::cli {

/// A page of section 1, for man(1): all commands, options, examples and exit statuses.
std::string manual(const program_description& program);

enum class shell { bash, zsh, fish };

/// A script for that shell, which completes commands, options, and values that are names.
std::string completion(const program_description& program, shell of);

} // namespace evenly::cli
