// SPDX-License-Identifier: Apache-2.0
// The manual page and what shells complete, made of what --help is made of: the parser's own description.
#pragma once

#include <string>
#include <string_view>

#include "cli/option_values.hpp"

namespace CLI {
class App;
}

namespace evenly::cli {

/// A page of section 1, for man(1): all commands, options, examples and exit statuses.
std::string manual(const CLI::App& program);

enum class shell { bash, zsh, fish };
inline const choices<shell> shells{{"bash", shell::bash}, {"zsh", shell::zsh}, {"fish", shell::fish}};

/// A script for that shell, which completes commands, options, and values that are names.
std::string completion(const CLI::App& program, shell of);

} // namespace evenly::cli
