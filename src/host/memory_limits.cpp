// SPDX-License-Identifier: Apache-2.0
#include "host/memory_limits.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace evenly::host {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

/// The first number in a file; nothing if there is none, as in `max`.
std::optional<std::int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// The number after the word `key` in a file of words and numbers.
std::optional<std::int64_t> number_after(const fs::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string word; file >> word;)
    if (std::int64_t number = 0; word == key && file >> number) return number;
  return {};
}

void lower(memory_left& left, std::int64_t bytes, std::string_view limit) {
  if (bytes < left.bytes) left = {std::max<std::int64_t>(bytes, 0), std::string(limit)};
}

memory_left left_on_machine(const memory_sources& from) {
  if (const auto kib = number_after(from.processes / "meminfo", "MemAvailable:"))
    return {*kib * 1024, "this machine"};
  return {std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE), "this machine"};
}

/// File names that depend on the version of control groups.
struct group_files {
  const char* limit;
  const char* used;
  const char* active_cache;
  const char* inactive_cache;
};
constexpr group_files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file",
                                "total_inactive_file"};
constexpr group_files version_2{"memory.max", "memory.current", "active_file", "inactive_file"};

std::int64_t left_in_group(const fs::path& group, const group_files& names) {
  const auto limit = number_in(group / names.limit);
  const auto used = number_in(group / names.used);
  if (!limit || !used) return unlimited;
  const fs::path statistics = group / "memory.stat";
  const std::int64_t cache = number_after(statistics, names.active_cache).value_or(0) +
                             number_after(statistics, names.inactive_cache).value_or(0);
  return *limit - std::max<std::int64_t>(*used - cache, 0); // the cache may be counted after the use
}

/// `path`: of the group relative to `root`, with a leading slash. In a container it may name a group outside, which
/// does not exist.
void lower_by_groups(memory_left& left, const fs::path& root, fs::path path, const group_files& names) {
  for (path = path.relative_path();; path = path.parent_path()) {
    lower(left, left_in_group(root / path, names), "the control group");
    if (path.empty()) return;
  }
}

/// Lines of /proc/self/cgroup are `number:controllers:path`; version 2 has the number 0 and no controllers.
void lower_by_groups(memory_left& left, const memory_sources& from) {
  std::ifstream file(from.processes / "self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const fs::path path = line.substr(second + 1);
    if (controllers == ",,") lower_by_groups(left, from.groups, path, version_2);
    if (controllers.find(",memory,") != std::string::npos)
      lower_by_groups(left, from.groups / "memory", path, version_1);
  }
}

void lower_by_resource(memory_left& left, int resource, std::int64_t used, std::string_view name) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (limit.rlim_cur < static_cast<rlim_t>(unlimited))
    lower(left, static_cast<std::int64_t>(limit.rlim_cur) - used, name);
}

enum class rounded { down, up };

/// In kB or MB, or in GB with three digits.
std::string in_words(std::int64_t bytes, rounded to) {
  constexpr std::int64_t kb = 1'000;
  constexpr std::int64_t mb = 1'000'000;
  constexpr std::int64_t gb = 1'000'000'000;
  const auto count = [&](std::int64_t step) {
    return bytes / step + (to == rounded::up && bytes % step > 0 ? 1 : 0);
  };
  if (bytes < mb) return fmt::format("{} kB", count(kb));
  if (bytes < gb) return fmt::format("{} MB", count(mb));
  const std::int64_t steps = bytes < 10 * gb ? 100 : bytes < 100 * gb ? 10 : 1; // per GB
  return fmt::format("{} GB", static_cast<double>(count(gb / steps)) / static_cast<double>(steps));
}

} // namespace

memory_left available_memory(const memory_sources& from) {
  memory_left left = left_on_machine(from);
  lower_by_groups(left, from);
  const fs::path status = from.processes / "self/status";
  lower_by_resource(left, RLIMIT_AS, number_after(status, "VmSize:").value_or(0) * 1024, "ulimit -v");
  lower_by_resource(left, RLIMIT_DATA, number_after(status, "VmData:").value_or(0) * 1024, "ulimit -d");
  return left;
}

std::optional<std::string> memory_shortage(std::int64_t bytes, const memory_sources& from) {
  return memory_shortage(bytes, available_memory(from));
}

std::optional<std::string> memory_shortage(std::int64_t bytes, const memory_left& left) {
  constexpr std::int64_t everything_else = 16 << 20;
  const std::int64_t usable = std::max<std::int64_t>(left.bytes - everything_else, 0);
  if (bytes <= usable) return {};
  return fmt::format("{} of memory are needed, but {} are available ({})", in_words(bytes, rounded::up),
                     in_words(usable, rounded::down), left.limit);
}

} // namespace evenly::host
