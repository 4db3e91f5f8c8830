// SPDX-License-Identifier: Apache-2.0
// How much memory this process can still get: asked before much is allocated, since a process that takes more than its
// control group has is not refused, but killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace evenly::host {

/// Where the system says what there is. Tests have their own.
struct memory_sources {
  std::filesystem::path processes = "/proc";
  std::filesystem::path groups = "/sys/fs/cgroup"; ///< version 2; version 1 in `memory` below
};

struct memory_left {
  std::int64_t bytes = 0;
  std::string limit; ///< what allows no more: `this machine`, `the control group`, `ulimit -v`, `ulimit -d`
};

/// The least of: what the machine has available (without swap), what the control groups of this process and those above
/// them have left, caches of files not counted as used, and what resource limits leave. Where the system says nothing,
/// all of the machine's memory. Takes some 0.1 ms.
memory_left available_memory(const memory_sources& from = {});

/// Why `bytes` more cannot be had: `2.8 GB of memory are needed, and 1.1 GB are available (ulimit -v)`; nothing if
/// they can. Some megabytes are left for everything else. What is needed is rounded up and what is available down, so
/// that they never read the same.
std::optional<std::string> memory_shortage(std::int64_t bytes, const memory_sources& from = {});

/// The same, of memory that was available when available_memory was called.
std::optional<std::string> memory_shortage(std::int64_t bytes, const memory_left& left);

} // namespace evenly::host
