// SPDX-License-Identifier: Apache-2.0
// Kinds of accesses, and the sizes of stacks: what is said of the simulated GPU without what it consists of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

enum class access_kind : std::uint8_t { read, write, atomic };

enum class traced_access : std::uint8_t {
  global_load,
  global_store,
  storage_load,
  storage_store,
  atomic,      ///< that changes something, or is in storage
  atomic_load, ///< in memory
  atomic_store ///< in memory
};

#if defined(EVENLY_ADDRESS_SANITIZER) || defined(EVENLY_THREAD_SANITIZER)
inline constexpr std::size_t default_stack_bytes =
    256 * 1024; // instrumented frames are several times as large
#else
inline constexpr std::size_t default_stack_bytes = 64 * 1024;
#endif
inline constexpr std::size_t least_stack_bytes = 16 * 1024;
inline constexpr std::size_t most_stack_bytes = std::size_t{1} << 30;

} // namespace evenly::detail
