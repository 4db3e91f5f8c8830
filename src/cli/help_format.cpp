// SPDX-License-Identifier: Apache-2.0
#include "cli/help_format.hpp"

#include <algorithm>

#include "measure/text.hpp"

namespace evenly::cli {

std::string help_formatter::make_option(const CLI::Option* option, bool is_positional) const {
  return two_columns("  " + make_option_name(option, is_positional) + make_option_opts(option),
                     make_option_desc(option));
}

std::string help_formatter::make_subcommand(const CLI::App* command) const {
  return two_columns("  " + command->get_name(), command->get_description());
}

std::string help_formatter::two_columns(std::string left, std::string_view right) const {
  if (right.empty()) return left + '\n';
  const std::size_t column = std::min(get_column_width(), width_ / 3);
  std::string lines = wrapped(right, std::string(column, ' '), width_);
  if (left.size() + 1 >= column) return left + '\n' + lines;
  return lines.replace(0, left.size(), left);
}

std::string fit_lines(std::string_view text, std::size_t width) {
  std::string fitted;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const bool is_example = line.substr(indent).starts_with("evenly ") || line.find(" evenly ") < line.size();
    if (line.size() <= width || is_example)
      fitted.append(line).append("\n");
    else
      fitted += wrapped(line.substr(indent), std::string(indent, ' '), width);
  }
  return fitted;
}

} // namespace evenly::cli
