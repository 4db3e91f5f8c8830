// SPDX-License-Identifier: Apache-2.0
// The available memory, with artificial trees of control groups and with real limits of a process.
#include "host/memory_limits.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support.hpp"

namespace evenly::io::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t mib = 1 << 20;

class memory_limits : public io_test {
 protected:
  /// A machine with 8 GiB available.
  memory_limits() : from{folder / "proc", folder / "groups"} {
    put(from.processes / "meminfo",
        "MemTotal:       16777216 kB\nMemFree:  10 kB\nMemAvailable:    8388608 kB\n");
    put(from.processes / "self/status", "Name:\tx\nVmSize:\t 0 kB\nVmData:\t 0 kB\n");
  }

  static void put(const fs::path& path, std::string_view content) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
  }
  void be_in(std::string_view groups) { put(from.processes / "self/cgroup", groups); }

  void expect(std::int64_t mebibytes, std::string_view limit) {
    const host::memory_left left = host::available_memory(from);
    EXPECT_EQ(left.bytes, mebibytes * mib);
    EXPECT_EQ(left.limit, limit);
  }

  host::memory_sources from;
};

TEST_F(memory_limits, without_groups_the_machine_limits) {
  expect(8192, "this machine");
  be_in("0::/");
  expect(8192, "this machine");
  be_in("nonsense\n\n:\n");
  expect(8192, "this machine");
}

TEST_F(memory_limits, version_2_of_this_group_and_those_above) {
  be_in("0::/a/b\n");
  put(from.groups / "a/b/memory.max", "max\n");
  put(from.groups / "a/b/memory.current", "5\n");
  expect(8192, "this machine");
  put(from.groups / "a/memory.max", std::to_string(2048 * mib));
  put(from.groups / "a/memory.current", std::to_string(1024 * mib));
  expect(1024, "the control group");
  put(from.groups / "a/memory.stat", "anon 1\nactive_file " + std::to_string(100 * mib) + "\ninactive_file " +
                                         std::to_string(200 * mib) + "\nfile 9\n");
  expect(1324, "the control group");
  put(from.groups / "a/b/memory.max", std::to_string(64 * mib));
  put(from.groups / "a/b/memory.current", std::to_string(65 * mib));
  expect(0, "the control group");
}

TEST_F(memory_limits, version_2_seen_from_within_a_container) {
  be_in("0::/system/container-4711\n"); // outside: here the group is the root
  put(from.groups / "memory.max", std::to_string(512 * mib));
  put(from.groups / "memory.current", std::to_string(12 * mib));
  expect(500, "the control group");
}

TEST_F(memory_limits, version_1) {
  be_in("9:name=systemd:/x\n4:cpu,memory:/job/7\n0::/\n");
  put(from.groups / "memory/job/memory.limit_in_bytes", std::to_string(1024 * mib));
  put(from.groups / "memory/job/memory.usage_in_bytes", std::to_string(600 * mib));
  put(from.groups / "memory/job/memory.stat",
      "total_active_file 0\ntotal_inactive_file " + std::to_string(76 * mib));
  expect(500, "the control group");
  put(from.groups / "memory/job/7/memory.limit_in_bytes", "9223372036854771712\n"); // none
  put(from.groups / "memory/job/7/memory.usage_in_bytes", "1\n");
  expect(500, "the control group");
}

TEST_F(memory_limits, of_a_group_are_not_exceeded_by_cache_that_is_not_counted_as_used) {
  be_in("4:memory:/job\n");
  put(from.groups / "memory/job/memory.limit_in_bytes", "9223372036854771712\n"); // none
  put(from.groups / "memory/job/memory.usage_in_bytes", "4096\n");
  put(from.groups / "memory/job/memory.stat",
      "total_active_file 0\ntotal_inactive_file " + std::to_string(76 * mib));
  expect(8192, "this machine");
  put(from.groups / "memory/job/memory.limit_in_bytes", std::to_string(64 * mib));
  expect(64, "the control group");
}

TEST_F(memory_limits, read_differently_from_what_is_needed) {
  be_in("0::/\n");
  put(from.groups / "memory.current", "0\n");
  const auto shortage = [this](std::int64_t needed, std::int64_t usable) {
    put(from.groups / "memory.max", std::to_string(16 * mib + usable));
    return host::memory_shortage(needed, from).value_or("none");
  };
  const auto message = [](const char* needed, const char* usable) {
    return std::string(needed) + " of memory are needed, but " + usable +
           " are available (the control group)";
  };
  EXPECT_EQ(shortage(1, 0), message("1 kB", "0 kB"));
  EXPECT_EQ(shortage(12'001, 12'000), message("13 kB", "12 kB"));
  EXPECT_EQ(shortage(1'000'000, 999'999), message("1 MB", "999 kB"));
  EXPECT_EQ(shortage(20'400'000, 20'399'999), message("21 MB", "20 MB"));
  EXPECT_EQ(shortage(2'000'000'000, 1'999'999'999), message("2 GB", "1.99 GB"));
  EXPECT_EQ(shortage(2'340'000'001, 2'340'000'000), message("2.35 GB", "2.34 GB"));
  EXPECT_EQ(shortage(5, 5), "none");
}

/// What `report` returns in a process with `limit` of `resource`.
template <class Report> std::string under_limit(int resource, rlim_t limit, const Report& report) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit both{limit, limit};
    setrlimit(resource, &both);
    const std::string text = report();
    ::_exit(::write(ends[1], text.data(), text.size()) < 0);
  }
  ::close(ends[1]);
  std::string text(4096, ' ');
  const ssize_t got = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

TEST_F(memory_limits, of_resources) {
  if (sanitized) GTEST_SKIP() << "the address space cannot be limited under a sanitizer";
  const auto shortage = [this] {
    return host::memory_shortage(std::int64_t{2} << 30, from).value_or("none");
  };
  EXPECT_EQ(shortage(), "none");
  EXPECT_EQ(under_limit(RLIMIT_AS, 1 << 30, shortage),
            "2.15 GB of memory are needed, but 1.05 GB are available (ulimit -v)");
  EXPECT_EQ(under_limit(RLIMIT_DATA, 512 << 20, shortage),
            "2.15 GB of memory are needed, but 520 MB are available (ulimit -d)");
}

TEST_F(memory_limits, of_this_process_are_found) {
  const host::memory_left left = host::available_memory();
  EXPECT_GT(left.bytes, 0);
  EXPECT_FALSE(host::memory_shortage(1));
  EXPECT_TRUE(host::memory_shortage(std::int64_t{1} << 60));
}

} // namespace
} // namespace evenly::io::testing
