// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cli/command_line.hpp"
#include "cli/known_values.hpp"
#include "cli/manual.hpp"
#include "cli/schedule_names.hpp"
#include "draw/layouts.hpp"
#include "draw/matrix_pictures.hpp"
#include "evenly/runtime/any_schedule.hpp"
#include "io/generators.hpp"

namespace evenly::cli {
namespace {

using words = std::vector<std::string>;

/// Names as shells leave them alone.
words schedules_in_files(const std::vector<std::string>& names) {
  words list;
  for (const std::string& each : names) list.push_back(name_in_files(each));
  return list;
}

words schedules_of(const std::vector<any_schedule>& all) {
  words list;
  for (const any_schedule& each : all) list.push_back(name_in_files(each.name()));
  return list;
}

words all_rungs() {
  words list;
  for (const auto& [name, kind] : ladders)
    for (const std::string& rung : rung_names(kind))
      if (std::ranges::count(list, rung) == 0) list.push_back(rung);
  return list;
}

words with(words list, const words& more) {
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

/// The names that an option of a command takes; none where it takes files or numbers.
words values_of(const CLI::App& command, const CLI::Option& option) {
  const std::string& of = command.get_name();
  const std::string name = option.get_name();
  const bool searches = of == "bfs" || of == "sssp";
  if (name == "--op" && of == "compare") return with(names(operations), {"spmm:32"});
  if (name == "--op") return names(operations);
  if (name == "--on") return names(executors);
  if (name == "--type") return of == "ladder" ? names(ladder_types) : names(types);
  if (name == "--schedule" && searches) return with({"all"}, schedules_of(search_schedules()));
  if (name == "--schedule" && of == "spmm") return with({"all", "automatic"}, schedules_of(spmm_schedules()));
  if (name == "--schedule") return with({"automatic"}, schedules_in_files(schedule_names()));
  if (name == "--layout") return names(dense_layouts);
  if (name == "--rung") return all_rungs();
  if (name == "--pool") return with({"all"}, pool_names());
  if (name == "--arm") return of == "reorganize" ? with({"all"}, arm_names()) : arm_names();
  if (name == "--format" && of == "compare") return with(names(matrix_formats), names(matrix_file_formats));
  if (name == "--format" && of == "octree") return names(point_file_formats);
  if (name == "--format") return of == "info" ? names(all_file_formats) : names(matrix_file_formats);
  if (name == "--columns") return names(edge_columns);
  if (name == "--weights") return names(weight_sources);
  if (name == "--method") return names(path_methods);
  if (name == "ladder") return names(ladders);
  if (name == "study") return {"mapping", "tasks", "reorganize", "choices"};
  if (name == "shell") return names(shells);
  if (name == "schedule")
    return with(with(with(schedules_in_files(schedule_names()), matrix_pictures()), layout_pictures()),
                {"search"});
  return {};
}

bool takes_list(const CLI::Option& option) { return option.get_type_name().ends_with(",..."); }
bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }
bool takes_file(const CLI::Option& option) {
  return option.get_type_name().find("FILE") != std::string::npos || option.get_name() == "workload";
}

/// With their dashes: `-h`, `--help`.
words names_of(const CLI::Option& option) {
  words list;
  for (const std::string& each : option.get_snames()) list.push_back('-' + each);
  for (const std::string& each : option.get_lnames()) list.push_back("--" + each);
  return list;
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}
std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> list;
  for (const CLI::Option* each : command.get_options())
    if (!each->get_positional()) list.push_back(each);
  return list;
}
std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  std::vector<const CLI::Option*> list;
  for (const CLI::Option* each : command.get_options())
    if (each->get_positional()) list.push_back(each);
  return list;
}

std::string option_words(const CLI::App& command) {
  words list;
  for (const CLI::Option* each : options_of(command)) list = with(std::move(list), names_of(*each));
  return fmt::format("{}", fmt::join(list, " "));
}

std::string generator_words() {
  words list;
  for (const io::generator_info& each : io::generators()) list.emplace_back(each.name);
  return fmt::format("{}", fmt::join(list, " "));
}

words command_names(const CLI::App& program) {
  words list;
  for (const CLI::App* each : commands_of(program)) list.push_back(each->get_name());
  return list;
}

/// Where nothing is answered, readline completes names of files (complete -o default).
std::string for_bash(const CLI::App& program) {
  std::string options, values;
  for (const CLI::App* command : commands_of(program)) {
    options += fmt::format("    {}) options='{}' ;;\n", command->get_name(), option_words(*command));
    for (const CLI::Option* each : command->get_options()) {
      if (!takes_value(*each)) continue;
      const words known = values_of(*command, *each);
      if (each->get_positional()) {
        if (!known.empty())
          values += fmt::format("    '{} ') names='{}' ;;\n", command->get_name(), fmt::join(known, " "));
        else if (each->get_type_name().find("GENERATOR") != std::string::npos)
          values += fmt::format("    '{} ') names=$generators ;;\n", command->get_name());
        continue;
      }
      for (const std::string& name : names_of(*each))
        values += fmt::format("    '{} {}') names='{}'; value=1 ;;\n", command->get_name(), name,
                              fmt::join(known, " "));
    }
  }
  return fmt::format(R"(# Completion for bash; made by: evenly completion bash
_evenly() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}}
  local options='' names='' value='' said
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
    -*) said=$before ;;
    *) said='' ;;
  esac
  # A flag has no value: after it comes what comes after nothing.
  case "$command $said" in
{}  esac
  if [ -z "$value" ] && [ -n "$said" ]; then
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
                     generator_words(), fmt::join(command_names(program), " "), option_words(program),
                     options, values, values);
}

/// Within the brackets and colons of _arguments, and within quotes.
std::string for_arguments(std::string_view text) {
  std::string made;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') made += '\\';
    made += letter == '\'' ? "'\\''" : std::string(1, letter);
  }
  return made;
}

std::string action_in_zsh(const CLI::App& command, const CLI::Option& option) {
  const words known = values_of(command, option);
  const std::string what = for_arguments(option.get_type_name());
  if (takes_list(option) && !known.empty())
    return fmt::format(":{}:_sequence compadd - {}", what, fmt::join(known, " "));
  if (!known.empty()) return fmt::format(":{}:({})", what, fmt::join(known, " "));
  return fmt::format(":{}:{}", what, takes_file(option) ? "_files" : " ");
}

std::string for_zsh(const CLI::App& program) {
  std::string commands, cases;
  for (const CLI::App* command : commands_of(program)) {
    commands += fmt::format("    '{}:{}'\n", command->get_name(), for_arguments(command->get_description()));
    cases += fmt::format("    {})\n      _arguments -S", command->get_name());
    for (const CLI::Option* each : options_of(*command))
      for (const std::string& name : names_of(*each))
        cases += fmt::format(" \\\n        '{}{}[{}]{}'", each->get_items_expected_max() > 1 ? "*" : "", name,
                             for_arguments(each->get_description()),
                             takes_value(*each) ? action_in_zsh(*command, *each) : "");
    for (const CLI::Option* each : positionals_of(*command))
      cases += fmt::format(" \\\n        '{}{}'", each->get_items_expected_max() > 1 ? "*" : "",
                           action_in_zsh(*command, *each));
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
                     commands, option_words(program), cases);
}

std::string in_fish_quotes(std::string_view text) {
  std::string made = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') made += '\\';
    made += letter;
  }
  return made + '\'';
}

std::string for_fish(const CLI::App& program) {
  std::string text = "# Completion for fish; made by: evenly completion fish\n";
  const auto line = [&](const std::string& when, const std::string& rest, const std::string& what) {
    text +=
        fmt::format("complete -c evenly -n {}{} -d {}\n", in_fish_quotes(when), rest, in_fish_quotes(what));
  };
  const auto named = [](const CLI::Option& option) {
    std::string list;
    for (const std::string& each : option.get_snames()) list += " -s " + each;
    for (const std::string& each : option.get_lnames()) list += " -l " + each;
    return list;
  };
  for (const CLI::Option* each : options_of(program))
    line("__fish_use_subcommand", " -f" + named(*each), each->get_description());
  for (const CLI::App* command : commands_of(program)) {
    line("__fish_use_subcommand", " -f -a " + command->get_name(), command->get_description());
    const std::string when = "__fish_seen_subcommand_from " + command->get_name();
    for (const CLI::Option* each : command->get_options()) {
      const words known = values_of(*command, *each);
      const std::string choice = known.empty() ? "" : fmt::format(" -a '{}'", fmt::join(known, " "));
      if (each->get_positional()) {
        if (!known.empty()) line(when, (takes_file(*each) ? "" : " -f") + choice, each->get_description());
      } else {
        const std::string value = !takes_value(*each) ? "" : takes_file(*each) ? " -r -F" : " -x";
        line(when, named(*each) + value + choice, each->get_description());
      }
    }
  }
  return text;
}

} // namespace

std::string completion(const CLI::App& program, shell of) {
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
