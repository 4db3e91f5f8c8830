// SPDX-License-Identifier: Apache-2.0
// Format: each line has fields separated by tabs; a backslash escapes n, t and a backslash within a field.
#include "cli/description.hpp"

#include <initializer_list>

#include "evenly/core/errors.hpp"

namespace evenly::cli {
namespace {

std::string line_of(std::initializer_list<std::string_view> fields) {
  std::string line;
  for (const std::string_view field : fields) {
    if (!line.empty()) line += '\t';
    for (const char c : field)
      if (c == '\n' || c == '\t' || c == '\\')
        line.append(1, '\\').append(1, c == '\n' ? 'n' : c == '\t' ? 't' : c);
      else
        line += c;
  }
  return line + '\n';
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    parts.emplace_back(part);
    text.remove_prefix(part.size() < text.size() ? part.size() + 1 : part.size());
  }
  return parts;
}

std::string together(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (const std::string& part : parts) text.append(text.empty() ? 0 : 1, separator).append(part);
  return text;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  for (std::size_t i = 0; i < line.size(); ++i)
    if (line[i] == '\t')
      fields.emplace_back();
    else if (line[i] == '\\' && i + 1 < line.size())
      fields.back() += line[++i] == 'n' ? '\n' : line[i] == 't' ? '\t' : line[i];
    else
      fields.back() += line[i];
  return fields;
}

} // namespace

option_description help_option() { return {{"-h", "--help"}, "", "Print this help message and exit"}; }

std::string written(const std::vector<command_description>& commands) {
  std::string text;
  for (const command_description& each : commands) {
    text += line_of({"command", each.name, each.summary, each.footer});
    for (const option_description& one : each.options)
      text +=
          line_of({"option", together(one.names, ','), one.value, one.help, one.is_required ? "yes" : "no",
                   one.takes_several ? "yes" : "no", together(one.completions, ' ')});
  }
  return text;
}

std::vector<command_description> read_description(std::string_view text) {
  std::vector<command_description> commands;
  for (const std::string& line : parts_of(text, '\n')) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.front() == "command" && fields.size() == 4)
      commands.push_back({.name = fields[1], .summary = fields[2], .footer = fields[3]});
    else if (fields.front() == "option" && fields.size() == 7 && !commands.empty())
      commands.back().options.push_back({parts_of(fields[1], ','), fields[2], fields[3], fields[4] == "yes",
                                         fields[5] == "yes", parts_of(fields[6], ' ')});
    else
      throw error("unknown line in the description of a group of commands: " + line);
  }
  return commands;
}

} // namespace evenly::cli
