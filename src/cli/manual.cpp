// SPDX-License-Identifier: Apache-2.0
#include "cli/manual.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "cli/exit_status.hpp"
#include "measure/machine.hpp"

namespace evenly::cli {

using measure::version;

namespace {

/// Escapes text so that roff prints it literally. A typed dash is not a hyphen.
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

/// Lines without filling.
std::string verbatim(std::string_view text) { return ".PP\n.nf\n" + as_roff(text) + "\n.fi\n"; }

/// The paragraphs between empty lines.
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
  return ".TP\n.B " + as_roff(tag) + '\n' + as_roff(text) + '\n';
}

std::string tag_of(const option_description& option) {
  std::string tag;
  for (const std::string& name : option.names) tag += (tag.empty() ? "" : " ") + name;
  return option.is_flag() ? tag : tag + ' ' + option.value;
}

std::string options_of(const std::vector<option_description>& options) {
  std::string text;
  for (const option_description& each : options) text += tagged(tag_of(each), each.help);
  return text;
}

std::string synopsis_of(const command_description& command) {
  std::string text = ".br\n.B evenly " + command.name + "\n[OPTIONS]";
  for (const option_description& each : command.options)
    if (each.is_positional()) {
      const std::string name = each.name() + (each.takes_several ? "..." : "");
      text += each.is_required ? ' ' + name : " [" + name + ']';
    }
  return text + '\n';
}

} // namespace

std::string manual(const program_description& program) {
  std::map<std::string, int> uses; // number of commands with this paragraph
  std::vector<std::string> shared; // in order of appearance
  for (const command_description& command : program.commands)
    for (const std::string& one : paragraphs_of(command.footer))
      if (++uses[one] == 2) shared.push_back(one);

  std::string text = ".TH EVENLY 1 \"\" \"" + version().substr(0, version().find(" (")) +
                     "\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\nevenly \\- " + as_roff(program.summary) +
                     "\n.SH SYNOPSIS\n.B evenly\n\\-\\-help | \\-\\-version\n";
  for (const command_description& command : program.commands) text += synopsis_of(command);
  text += ".SH OPTIONS\n" + options_of(program.options) + ".SH COMMANDS\n";
  for (const command_description& command : program.commands) {
    text += ".SS evenly " + as_roff(command.name) + '\n' + as_roff(command.summary) + '\n' +
            options_of(command.options);
    for (const std::string& one : paragraphs_of(command.footer))
      if (uses[one] == 1) text += verbatim(one);
  }
  text += ".SH COMMON INFORMATION\n";
  for (const std::string& one : shared)
    if (!one.starts_with("Exit status")) text += verbatim(one);
  text += ".SH EXIT STATUS\n";
  for (const exit_status& each : exit_statuses())
    text += tagged(std::string(each.status), std::string(each.meaning));
  return text + ".SH ENVIRONMENT\n" +
         tagged("NO_COLOR", "If set, no text is bold on a terminal. Commands never use colour.");
}

} // namespace evenly::cli
