// SPDX-License-Identifier: Apache-2.0
#include "cli/group.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "evenly/core/errors.hpp"

namespace evenly::cli {
namespace {

std::filesystem::path own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

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

} // namespace

std::filesystem::path program_of(std::string_view group) {
  return own_folder().parent_path() / "libexec" / "evenly" / ("evenly-" + std::string(group));
}

void become_group(std::string_view group, std::string_view command, std::span<char* const> words) {
  std::vector<char*> all(words.begin(), words.end());
  all.push_back(nullptr);
  ::execv(program_of(group).c_str(), all.data());
  throw cannot_start(errno, group, command);
}

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

} // namespace evenly::cli
