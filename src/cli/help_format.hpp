// SPDX-License-Identifier: Apache-2.0
// Help that fits the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace evenly::cli {

/// CLI11's help with descriptions that are broken between words.
class help_formatter : public CLI::Formatter {
 public:
  explicit help_formatter(std::size_t width) : width_(width) {}

  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;

 private:
  std::string two_columns(std::string left, std::string_view right) const;

  std::size_t width_; ///< of a line
};

/// Breaks lines that are longer than `width` between words; what follows is indented as the line is. Examples of
/// commands stay whole, so that they can be copied.
std::string fit_lines(std::string_view text, std::size_t width);

} // namespace evenly::cli
