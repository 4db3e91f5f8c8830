// SPDX-License-Identifier: Apache-2.0
// Splits a command line into options and values according to the descriptions, and writes help. Commands interpret the
// values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/description.hpp"

namespace evenly::cli {

struct given_option {
  const option_description* option;
  std::vector<std::string> values; ///< empty for a flag
};

struct parsed_line {
  const command_description* command = nullptr; ///< null if no command is named
  std::vector<given_option> given; ///< includes positional arguments, in the order of the description
  bool asks_help = false;
  bool asks_version = false;
};

/// Keeps a reference to `program`. Throws usage_error for unknown words, and for missing, empty or repeated values.
parsed_line read_words(const program_description& program, std::span<char* const> words);

/// The help of a command, or of the program for null, wrapped to the terminal of standard output.
std::string help_of(const program_description& program, const command_description* command);

} // namespace evenly::cli
