// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/manual.hpp"

namespace evenly::cli {
namespace {

using words = std::vector<std::string>;

bool names_input(const option_description& option) {
  return option.value.find("GENERATOR") != option.value.npos;
}

/// The names that an option accepts; empty for files and numbers. Generators are completed separately, because files
/// are possible in the same position.
const words& names_for(const option_description& option) {
  static const words none;
  return names_input(option) ? none : option.completions;
}

bool takes_list(const option_description& option) { return option.value.ends_with(",..."); }
bool takes_file(const option_description& option) {
  return option.value.find("FILE") != option.value.npos || option.name() == "workload";
}

words option_words(const std::vector<option_description>& options) {
  words list;
  for (const option_description& each : options)
    if (!each.is_positional()) list.insert(list.end(), each.names.begin(), each.names.end());
  return list;
}

words generator_words(const program_description& program) {
  for (const command_description& command : program.commands)
    for (const option_description& each : command.options)
      if (names_input(each) && !each.completions.empty()) return each.completions;
  return {};
}

words command_names(const program_description& program) {
  words list;
  for (const command_description& each : program.commands) list.push_back(each.name);
  return list;
}

/// If the function finds nothing, readline completes file names (complete -o default).
std::string for_bash(const program_description& program) {
  std::string options, values;
  for (const command_description& command : program.commands) {
    options +=
        fmt::format("    {}) options='{}' ;;\n", command.name, fmt::join(option_words(command.options), " "));
    for (const option_description& each : command.options) {
      if (each.is_flag()) continue;
      const words& known = names_for(each);
      if (each.is_positional()) {
        if (!known.empty())
          values += fmt::format("    '{} ') names='{}' ;;\n", command.name, fmt::join(known, " "));
        else if (names_input(each))
          values += fmt::format("    '{} ') names=$generators ;;\n", command.name);
        continue;
      }
      for (const std::string& name : each.names)
        values +=
            fmt::format("    '{} {}') names='{}'; value=1 ;;\n", command.name, name, fmt::join(known, " "));
    }
  }
  return fmt::format(R"(# Completion for bash; made by: evenly completion bash
_evenly() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}}
  local options='' names='' value='' option
  local generators='{}'
  COMPREPLY=()
  if [ "$COMP_CWORD" -le 1 ]; then
    COMPREPLY=($(compgen -W '{} {}' -- "$word"))
    return
  fi
  case "$command" in
{}    *) return ;;
  esac
  case "$before" in
    -*) option=$before ;;
    *) option='' ;;
  esac
  # A flag takes no value: complete as if no option came before.
  case "$command $option" in
{}  esac
  if [ -z "$value" ] && [ -n "$option" ]; then
    case "$command " in
{}    esac
  fi
  if [ -z "$value" ] && [ "${{word#-}}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ -n "$names" ] && {{ [ -n "$value" ] || [ -n "$word" ] || [ "$names" != "$generators" ]; }}; then
    local last=${{word##*,}}
    COMPREPLY=($(compgen -P "${{word%"$last"}}" -W "$names" -- "$last"))
  fi
}}
complete -o default -F _evenly evenly
)",
                     fmt::join(generator_words(program), " "), fmt::join(command_names(program), " "),
                     fmt::join(option_words(program.options), " "), options, values, values);
}

/// Escapes text for the brackets, colons and quotes of _arguments.
std::string for_arguments(std::string_view text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') made += '\\';
    made += letter == '\'' ? "'\\''" : std::string(1, letter);
  }
  return made;
}

std::string action_in_zsh(const option_description& option) {
  const words& known = names_for(option);
  const std::string what = for_arguments(option.value);
  if (takes_list(option) && !known.empty())
    return fmt::format(":{}:_sequence compadd - {}", what, fmt::join(known, " "));
  if (!known.empty()) return fmt::format(":{}:({})", what, fmt::join(known, " "));
  return fmt::format(":{}:{}", what, takes_file(option) ? "_files" : " ");
}

std::string for_zsh(const program_description& program) {
  std::string commands, cases;
  for (const command_description& command : program.commands) {
    commands += fmt::format("    '{}:{}'\n", command.name, for_arguments(command.summary));
    cases += fmt::format("    {})\n      _arguments -S", command.name);
    for (const option_description& each : command.options) {
      if (each.is_positional()) continue;
      for (const std::string& name : each.names)
        cases += fmt::format(" \\\n        '{}{}[{}]{}'", each.takes_several ? "*" : "", name,
                             for_arguments(each.help), each.is_flag() ? "" : action_in_zsh(each));
    }
    for (const option_description& each : command.options)
      if (each.is_positional())
        cases += fmt::format(" \\\n        '{}{}'", each.takes_several ? "*" : "", action_in_zsh(each));
    cases += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef evenly
# Completion for zsh; made by: evenly completion zsh
_evenly() {{
  local -a commands
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    _values option {}
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
}}
if [ "$funcstack[1]" = _evenly ]; then _evenly "$@"; else compdef _evenly evenly; fi
)",
                     commands, fmt::join(option_words(program.options), " "), cases);
}

std::string in_fish_quotes(std::string_view text) {
  std::string made = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') made += '\\';
    made += letter;
  }
  return made + '\'';
}

std::string for_fish(const program_description& program) {
  std::string text = "# Completion for fish; made by: evenly completion fish\n";
  const auto line = [&](const std::string& when, const std::string& rest, const std::string& what) {
    text +=
        fmt::format("complete -c evenly -n {}{} -d {}\n", in_fish_quotes(when), rest, in_fish_quotes(what));
  };
  const auto named = [](const option_description& option) {
    std::string list;
    for (const std::string& each : option.names)
      list += each.starts_with("--") ? " -l " + each.substr(2) : " -s " + each.substr(1);
    return list;
  };
  for (const option_description& each : program.options)
    line("__fish_use_subcommand", " -f" + named(each), each.help);
  for (const command_description& command : program.commands) {
    line("__fish_use_subcommand", " -f -a " + command.name, command.summary);
    const std::string when = "__fish_seen_subcommand_from " + command.name;
    for (const option_description& each : command.options) {
      const words& known = names_for(each);
      const std::string choice = known.empty() ? "" : fmt::format(" -a '{}'", fmt::join(known, " "));
      if (each.is_positional()) {
        if (!known.empty()) line(when, (takes_file(each) ? "" : " -f") + choice, each.help);
      } else {
        const std::string value = each.is_flag() ? "" : takes_file(each) ? " -r -F" : " -x";
        line(when, named(each) + value + choice, each.help);
      }
    }
  }
  return text;
}

} // namespace

std::string completion(const program_description& program, shell of) {
  switch (of) {
  case shell::bash:
    return for_bash(program);
  case shell::zsh:
    return for_zsh(program);
  case shell::fish:
    break;
  }
  return for_fish(program);
}

} // namespace evenly::cli
