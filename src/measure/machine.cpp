// SPDX-License-Identifier: Apache-2.0
#include "measure/machine.hpp"

#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "evenly_build_info.hpp"

namespace evenly::measure {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "unknown";
}

int cpu_cores() { return static_cast<int>(std::thread::hardware_concurrency()); }

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  char text[sizeof("2026-01-31T23:59:59Z")] = "";
  std::strftime(text, sizeof(text), "%FT%TZ", std::gmtime(&now));
  return text;
}

std::string commit() { return std::string(build_info::commit) + (build_info::dirty ? "-dirty" : ""); }

std::string version() {
  return std::string("evenly ") + build_info::version + " (" + build_info::description + ")";
}

namespace {

std::string remembered_command_line;

std::string in_shell(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,/:@%^";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

} // namespace

std::string command_line() { return remembered_command_line; }

void remember_command_line(std::span<char* const> words) {
  for (const char* word : words) {
    if (!remembered_command_line.empty()) remembered_command_line += ' ';
    remembered_command_line += in_shell(word);
  }
}

std::string devices() {
  return "CPU: " + cpu_model() + ", " + std::to_string(cpu_cores()) + " threads\n" + gpus();
}

#if !defined(EVENLY_WITH_CUDA)
std::string gpus() { return "no GPU: " EVENLY_NO_CUDA_REASON "\n"; }
#endif

} // namespace evenly::measure
