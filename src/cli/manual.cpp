// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/examples.hpp"
#include "measure/machine.hpp"

namespace evenly::cli {
namespace {

/// As roff prints it letter by letter. A dash that is typed is not a hyphen.
std::string as_roff(std::string_view text) {
  std::string made;
  bool line_begins = true;
  for (const char letter : text) {
    if (line_begins && (letter == '.' || letter == '\'')) made += "\\&";
    if (letter == '\\')
      made += "\\e";
    else if (letter == '-')
      made += "\\-";
    else
      made += letter;
    line_begins = letter == '\n';
  }
  return made;
}

/// Lines as they are.
std::string verbatim(std::string_view text) { return fmt::format(".PP\n.nf\n{}\n.fi\n", as_roff(text)); }

/// What empty lines part.
std::vector<std::string> paragraphs_of(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", begin), text.size());
    std::string one = text.substr(begin, end - begin);
    one.erase(0, std::min(one.find_first_not_of('\n'), one.size()));
    while (!one.empty() && one.back() == '\n') one.pop_back();
    if (!one.empty()) all.push_back(std::move(one));
    begin = end + 2;
  }
  return all;
}

std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n.B {}\n{}\n", as_roff(tag), as_roff(text));
}

std::string options_of(const CLI::App& command) {
  std::string text;
  for (const CLI::Option* each : command.get_options()) {
    std::string tag = each->get_name(false, true);
    std::ranges::replace(tag, ',', ' ');
    if (each->get_positional()) tag = each->get_name(true);
    if (each->get_items_expected_max() > 0) tag += ' ' + each->get_type_name();
    text += tagged(tag, each->get_description());
  }
  return text;
}

std::string synopsis_of(const CLI::App& command) {
  std::string text = fmt::format(".br\n.B evenly {}\n[OPTIONS]", command.get_name());
  for (const CLI::Option* each : command.get_options())
    if (each->get_positional()) {
      const std::string name = each->get_name() + (each->get_items_expected_max() > 1 ? "..." : "");
      text += each->get_required() ? ' ' + name : " [" + name + ']';
    }
  return text + '\n';
}

} // namespace

std::string manual(const CLI::App& program) {
  const auto commands = program.get_subcommands([](const CLI::App*) { return true; });
  std::map<std::string, int> said; // how many commands say a paragraph
  std::vector<std::string> in_order;
  for (const CLI::App* command : commands)
    for (const std::string& one : paragraphs_of(command->get_footer()))
      if (++said[one] == 2) in_order.push_back(one);

  std::string text =
      fmt::format(".TH EVENLY 1 \"\" \"{}\" \"User Commands\"\n.nh\n.ad l\n"
                  ".SH NAME\nevenly \\- {}\n.SH SYNOPSIS\n.B evenly\n\\-\\-help | \\-\\-version\n",
                  version().substr(0, version().find(" (")), as_roff(program.get_description()));
  for (const CLI::App* command : commands) text += synopsis_of(*command);
  text += ".SH OPTIONS\n" + options_of(program) + ".SH COMMANDS\n";
  for (const CLI::App* command : commands) {
    text += fmt::format(".SS evenly {}\n{}\n{}", as_roff(command->get_name()),
                        as_roff(command->get_description()), options_of(*command));
    for (const std::string& one : paragraphs_of(command->get_footer()))
      if (said[one] == 1) text += verbatim(one);
  }
  text += ".SH WHAT COMMANDS SHARE\n";
  for (const std::string& one : in_order)
    if (!one.starts_with("Exit status")) text += verbatim(one);
  text += ".SH EXIT STATUS\n";
  for (const exit_status& each : exit_statuses())
    text += tagged(std::string(each.status), std::string(each.meaning));
  return text + ".SH ENVIRONMENT\n" +
         tagged("NO_COLOR", "If set, nothing is bold on a terminal. No command uses colour.");
}

} // namespace evenly::cli
