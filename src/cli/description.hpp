// SPDX-License-Identifier: Apache-2.0
// Commands and their options, for help, the manual page and completions. A group program prints the descriptions of its
// commands for the driver if its only argument is describe_word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenly::cli {

inline constexpr std::string_view describe_word = "--describe";

/// An option, or a positional argument.
struct option_description {
  std::vector<std::string> names; ///< with dashes, the short name first; one name for a positional argument
  std::string value;              ///< the kind of value: `FILE|GENERATOR`; empty for a flag
  std::string help;
  bool is_required = false;
  bool takes_several = false;                ///< several values are allowed
  std::vector<std::string> completions = {}; ///< the names among the values

  const std::string& name() const { return names.back(); } ///< the name for errors
  bool is_positional() const { return !names.front().starts_with('-'); }
  bool is_flag() const { return value.empty(); }
};

struct command_description {
  std::string name;
  std::string summary;
  std::string footer = {};                      ///< text at the end of its help
  std::vector<option_description> options = {}; ///< includes positional arguments, in the order of help
  bool is_elsewhere = false; ///< true if another program parses its words: options is then empty
};

struct program_description {
  std::string summary;
  std::string footer;
  std::vector<option_description> options; ///< options without a command
  std::vector<command_description> commands;
};

option_description help_option();

/// Writes one line per command and per option.
std::string written(const std::vector<command_description>& commands);
/// Reads the text of written(). Throws evenly::error for any other text.
std::vector<command_description> read_description(std::string_view text);

} // namespace evenly::cli
