// SPDX-License-Identifier: Apache-2.0
// The main function of a group's program, whose commands are linked into it.
#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/effects.hpp"
#include "cli/exit_status.hpp"
#include "cli/parser.hpp"
#include "host/interruption.hpp"
#include "measure/machine.hpp"
#include "measure/result_file.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {

using measure::devices, measure::failed_input, measure::inputs_failed, measure::print,
    measure::remember_command_line, measure::usage_error, measure::version;

namespace {

int run_group(std::span<char* const> words) {
  remember_command_line(words);
  host::watch_interruptions();
  std::vector<std::unique_ptr<command>> commands;
  for (const command_maker make : command_makers()) commands.push_back(make());
  program_description program{.summary = std::string(program_summary),
                              .footer = {},
                              .options = {help_option(), {{"--version"}, "", ""}},
                              .commands = {}};
  for (const std::unique_ptr<command>& each : commands) program.commands.push_back(each->description());
  if (words.size() == 2 && words[1] == describe_word) {
    print(stdout, written(program.commands));
    return 0;
  }
  const parsed_line line = read_words(program, words);
  if (line.asks_version) {
    print(stdout, version() + '\n' + devices());
    return 0;
  }
  if (line.asks_help) {
    print(stdout, help_of(program, line.command));
    return 0;
  }
  if (line.command == nullptr) throw usage_error("a command is missing; evenly help lists them");
  command& asked = **std::ranges::find(commands, line.command->name, &command::name);
  asked.note(line);
  check_outputs(asked);
  asked.take();
  if (asked.run()) return 0;
  return report("some results are wrong or missing: see FAILED above", 1);
}

} // namespace
} // namespace evenly::cli

int main(int argc, char** argv) {
  using namespace evenly::cli;
  return guarded([&] {
    try {
      return run_group({argv, static_cast<std::size_t>(argc)});
    } catch (const inputs_failed& e) {
      for (const failed_input& each : e.inputs) report(each.error, 1);
      return 1;
    }
  });
}
