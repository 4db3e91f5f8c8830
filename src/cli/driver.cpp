// SPDX-License-Identifier: Apache-2.0
// The program evenly: it knows all commands, and replaces itself by the program that has the requested command.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/description.hpp"
#include "cli/exit_status.hpp"
#include "cli/manual.hpp"
#include "cli/parser.hpp"
#include "evenly/core/errors.hpp"
#include "measure/machine.hpp"
#include "measure/text.hpp"
#include "measure/usage_error.hpp"

namespace evenly::cli {

using measure::cpu_cores, measure::cpu_model, measure::print, measure::usage_error, measure::version;

namespace {

// --- the programs of command groups, in ../libexec/evenly of this one's folder

std::filesystem::path own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

/// Whether or not the file exists.
std::filesystem::path program_of(std::string_view group) {
  return own_folder().parent_path() / "libexec" / "evenly" / ("evenly-" + std::string(group));
}

/// `why`: errno of exec or access.
error cannot_start(int why, std::string_view group, std::string_view command) {
  const std::filesystem::path program = program_of(group);
  const std::string file = program.string(), named(command);
  if (why != ENOENT) return error(file + ": cannot be started: " + std::strerror(why));
  const std::filesystem::path build = own_folder().parent_path();
  if (std::filesystem::exists(build / "CMakeCache.txt"))
    return error(named + " is not built yet: ./run " + named + " builds it, or cmake --build " +
                 build.string() + " --target " + program.filename().string());
  return error(named + " needs the program " + file + ", which is not installed");
}

/// The program's standard output.
std::string output_of(std::string_view group, std::string_view command, std::string_view word) {
  int ends[2];
  if (::pipe(ends) != 0) throw error(std::string("cannot make a pipe: ") + std::strerror(errno));
  std::string program = program_of(group).string(), argument(word);
  char* const words[] = {program.data(), argument.data(), nullptr};
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execv(program.c_str(), words);
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = ::read(ends[0], part.data(), part.size())) != 0;)
    if (count > 0)
      text.append(part.data(), static_cast<std::size_t>(count));
    else if (errno != EINTR)
      break;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status == 0) return text;
  if (::access(program.c_str(), X_OK) != 0) throw cannot_start(errno, group, command);
  throw error(program + " does not describe its commands: it belongs to another version of evenly");
}

/// Replaces this process by the group's program with these arguments. Throws evenly::error with a remedy if the program
/// does not exist. `command`: the requested command, for the message.
[[noreturn]] void become_group(std::string_view group, std::string_view command,
                               std::span<char* const> words) {
  std::vector<char*> all(words.begin(), words.end());
  all.push_back(nullptr);
  ::execv(program_of(group).c_str(), all.data());
  throw cannot_start(errno, group, command);
}

/// The commands of all groups, in the order of the table. Throws like become_group.
std::vector<command_description> described_commands() {
  std::map<std::string_view, std::vector<command_description>> groups;
  std::vector<command_description> all;
  for (const listed_command& each : all_commands()) {
    if (each.group.empty()) continue;
    const auto [group, is_new] = groups.try_emplace(each.group);
    if (is_new) group->second = read_description(output_of(each.group, each.name, describe_word));
    const auto found = std::ranges::find(group->second, each.name, &command_description::name);
    if (found == group->second.end())
      throw error(program_of(each.group).string() + " does not have " + std::string(each.name) +
                  ": it belongs to another version of evenly");
    all.push_back(*found);
  }
  return all;
}

// --- the driver

/// `evenly --target WORDS...` prints the CMake target that `evenly WORDS...` needs: for scripts that build it first.
constexpr std::string_view target_word = "--target";

/// The driver's own commands with their options, and the names of all others.
program_description listed_program() {
  program_description program{
      .summary = std::string(program_summary),
      .footer = "evenly COMMAND --help lists the options and examples of a command, the schedules and the "
                "generators.\n\n" +
                help_on_exit_statuses(),
      .options = {help_option(), {{"--version"}, "", "Display program version information and exit"}},
      .commands = {}};
  for (const listed_command& each : all_commands())
    program.commands.push_back(
        {.name = std::string(each.name), .summary = std::string(each.summary), .is_elsewhere = true});
  for (const command_maker make : command_makers()) {
    const command_description own = make()->description();
    *std::ranges::find(program.commands, own.name, &command_description::name) = own;
  }
  return program;
}

/// All commands with their options.
program_description described_program() {
  program_description program = listed_program();
  for (command_description& each : described_commands())
    *std::ranges::find(program.commands, each.name, &command_description::name) = std::move(each);
  return program;
}

std::string_view group_of(std::string_view command) {
  return std::ranges::find(all_commands(), command, &listed_command::name)->group;
}

/// `evenly compare` without other words runs the tour, a separate program that compiles in seconds.
bool is_tour(std::string_view command, std::size_t words) { return command == "compare" && words == 1; }

class help_command : public command {
 public:
  help_command() : command("help") {
    add("about COMMAND", about_, "the command to describe (default: evenly itself)");
    add_example("evenly help", "list all commands");
    add_example("evenly help bfs", "show the options and examples of one command");
  }
  bool run() override {
    const program_description program = listed_program();
    const command_description* asked = nullptr;
    if (!about_.empty()) {
      choices<const command_description*> known;
      for (const command_description& each : program.commands) known.emplace_back(each.name, &each);
      asked = pick(known, "a command", about_);
    }
    if (asked != nullptr && asked->is_elsewhere) {
      std::string words[] = {"evenly", about_, "--help"};
      char* const line[] = {words[0].data(), words[1].data(), words[2].data()};
      become_group(group_of(about_), about_, line);
    }
    print(stdout, help_of(program, asked));
    return true;
  }

 private:
  std::string about_;
};
const registered<help_command> help;

class man_command : public command {
 public:
  man_command() : command("man") {
    add_example("evenly man > evenly.1", "write the manual page to a file, to read it with man -l");
    add_example("evenly man | grep EXAMPLES", "find a section of it");
  }
  bool run() override {
    print(stdout, manual(described_program()));
    return true;
  }
};
const registered<man_command> man;

class completion_command : public command {
 public:
  completion_command() : command("completion") {
    add("shell SHELL", shell_,
        choices<shell>{{"bash", shell::bash}, {"zsh", shell::zsh}, {"fish", shell::fish}}, "a shell",
        "bash, zsh or fish")
        .required();
    add_example("source <(evenly completion bash)", "enable completion in this bash session");
    add_example("evenly completion zsh > _evenly", "then move the file to a folder of $fpath");
    add_example("evenly completion fish > evenly.fish", "then move the file to ~/.config/fish/completions");
  }
  bool run() override {
    print(stdout, completion(described_program(), shell_));
    return true;
  }

 private:
  shell shell_ = shell::bash;
};
const registered<completion_command> completions;

/// The first existing group program prints the version, because group programs know about GPUs.
void print_version() {
  std::string words[] = {"evenly", "--version"};
  char* const line[] = {words[0].data(), words[1].data()};
  for (const listed_command& each : all_commands())
    if (!each.group.empty() && std::filesystem::exists(program_of(each.group)))
      become_group(each.group, each.name, line);
  print(stdout, version() + "\nCPU: " + cpu_model() + ", " + std::to_string(cpu_cores()) +
                    " threads\nno GPU: no command that can use one is built\n");
}

/// The CMake target that has to be built for these words; the driver's own where they are wrong.
std::string target_of(std::span<char* const> words) {
  const std::string own = "evenly", everything = "evenly_program";
  const program_description program = listed_program();
  try {
    const parsed_line line = read_words(program, words);
    if (line.command == nullptr || line.asks_help) return own;
    std::string asked = line.command->name;
    if (is_tour(asked, words.size() - 1)) return program_of("tour").filename().string();
    if (asked == "man" || asked == "completion") return everything;
    if (asked == "help" && !line.given.empty()) asked = line.given.front().values.front();
    const auto found = std::ranges::find(all_commands(), asked, &listed_command::name);
    if (found == all_commands().end() || found->group.empty()) return own;
    return program_of(found->group).filename().string();
  } catch (const usage_error&) {
    return own;
  }
}

int drive(std::span<char* const> words) {
  if (words.size() > 1 && words[1] == target_word) {
    print(stdout, target_of(words.subspan(1)) + '\n');
    return 0;
  }
  const program_description program = listed_program();
  const parsed_line line = read_words(program, words);
  if (line.asks_version) {
    print_version();
    return 0;
  }
  if (line.command == nullptr && !line.asks_help) {
    std::string known;
    for (const listed_command& each : all_commands()) known.append(each.name).append(", ");
    known.resize(known.size() - 2);
    throw usage_error("a command is missing; choose one of " + known + "; evenly help describes them");
  }
  if (line.command != nullptr && line.command->is_elsewhere)
    become_group(is_tour(line.command->name, words.size() - 1) ? "tour" : group_of(line.command->name),
                 line.command->name, words);
  if (line.asks_help) {
    print(stdout, help_of(program, line.command));
    return 0;
  }
  for (const command_maker make : command_makers()) {
    const std::unique_ptr<command> each = make();
    if (each->name() != line.command->name) continue;
    each->note(line);
    each->take();
    if (!each->run()) return 1;
  }
  return 0;
}

} // namespace

} // namespace evenly::cli

int main(int argc, char** argv) {
  return evenly::cli::guarded([&] { return evenly::cli::drive({argv, static_cast<std::size_t>(argc)}); });
}
