// SPDX-License-Identifier: Apache-2.0
// Splits a command line into options and their values, and writes help, as descriptions say. What values mean is known
// to commands alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/description.hpp"

namespace evenly::cli {

struct given_option {
  const option_description* option;
  std::vector<std::string> values; ///< none of a flag
};

struct parsed_line {
  const command_description* command = nullptr; ///< null: none is named
  std::vector<given_option> given;              ///< positional arguments too, in the order of the description
  bool asks_help = false;
  bool asks_version = false;
};

/// Refers to `program`. Throws usage_error for words that no command takes, and for values that are missing, empty or
/// given twice.
parsed_line read_words(const program_description& program, std::span<char* const> words);

/// The help of a command, or of the program for null, as wide as the terminal of standard output.
std::string help_of(const program_description& program, const command_description* command);

} // namespace evenly::cli
