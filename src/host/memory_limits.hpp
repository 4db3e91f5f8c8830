// SPDX-License-Identifier: Apache-2.0
// The memory that this process can still allocate. The readers check it before large allocations, because a process
// that exceeds the limit of its control group is killed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace evenly::host {

/// Files of the system with the limits. Tests have their own.
struct memory_sources {
  std::filesystem::path processes = "/proc";
  std::filesystem::path groups = "/sys/fs/cgroup"; ///< version 2; version 1 is in `memory` below it
};

struct memory_left {
  std::int64_t bytes = 0;
  std::string limit; ///< the limit: `this machine`, `the control group`, `ulimit -v`, `ulimit -d`
};

/// The minimum of: the available memory of the machine (without swap), the remaining memory of the process's control
/// groups and their parents, where file caches do not count as used, and the remaining resource limits. Without limits,
/// the memory of the machine. Takes about 0.1 ms.
memory_left available_memory(const memory_sources& from = {});

/// Why `bytes` more cannot be allocated: `2.8 GB of memory are needed, but 1.1 GB are available (ulimit -v)`; nothing
/// if they can. Some megabytes are reserved for everything else. The needed size is rounded up and the available size
/// down, so that they never print as equal.
std::optional<std::string> memory_shortage(std::int64_t bytes, const memory_sources& from = {});

/// The same for the memory that was available when available_memory was called.
std::optional<std::string> memory_shortage(std::int64_t bytes, const memory_left& left);

} // namespace evenly::host
