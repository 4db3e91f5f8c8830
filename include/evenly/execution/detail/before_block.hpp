// SPDX-License-Identifier: Apache-2.0
// A hook of launches on the host, for bindings to languages that must look for signals now and then.
#pragma once

#include <atomic>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// If not null, called before each block of cpu and simt on the thread that runs it. What it throws ends the launch.
inline std::atomic<void (*)()> before_block{nullptr};

inline void call_before_block() {
  if (const auto hook = before_block.load(std::memory_order_relaxed)) hook();
}

} // namespace evenly::detail
