// SPDX-License-Identifier: Apache-2.0
// Commands and their options as help, the manual page and completions show them. A group program prints those of its
// commands for the driver when its one argument is describe_word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evenly::cli {

inline constexpr std::string_view describe_word = "--describe";

/// An option, or a positional argument.
struct option_description {
  std::vector<std::string>
      names;         ///< with their dashes, the short one first; of a positional argument its one name
  std::string value; ///< the kind of value: `FILE|GENERATOR`; empty: a flag
  std::string help;
  bool is_required = false;
  bool takes_several = false;                ///< values
  std::vector<std::string> completions = {}; ///< the values that are names

  const std::string& name() const { return names.back(); } ///< in messages
  bool is_positional() const { return !names.front().starts_with('-'); }
  bool is_flag() const { return value.empty(); }
};

struct command_description {
  std::string name;
  std::string summary;
  std::string footer = {};                      ///< of its help
  std::vector<option_description> options = {}; ///< positional arguments too, in the order of help
  bool is_elsewhere = false;                    ///< another program reads its words: it has no options here
};

struct program_description {
  std::string summary;
  std::string footer;
  std::vector<option_description> options; ///< before a command
  std::vector<command_description> commands;
};

option_description help_option();

/// One line for each command and each option.
std::string written(const std::vector<command_description>& commands);
/// The commands in text that written() made. Throws evenly::error for other text.
std::vector<command_description> read_description(std::string_view text);

} // namespace evenly::cli
