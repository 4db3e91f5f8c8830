// SPDX-License-Identifier: Apache-2.0
// A hook of long work on the host. Bindings use it to check for signals of their language.
#pragma once

#include <atomic>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// If not null, the host calls it on the thread that does the work: before each block of cpu and simt, between parts of
/// a search or a sparse product on cores, and before each read of a file. An exception of the hook ends the work.
inline std::atomic<void (*)()> interrupt_hook{nullptr};

inline void check_interrupt() {
  if (const auto hook = interrupt_hook.load(std::memory_order_relaxed)) hook();
}

} // namespace evenly::detail
