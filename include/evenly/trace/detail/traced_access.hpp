// SPDX-License-Identifier: Apache-2.0
// Kinds of accesses that a trace counts.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

enum class traced_access : std::uint8_t {
  global_load,
  global_store,
  storage_load,
  storage_store,
  atomic,      ///< that changes something, or is in storage
  atomic_load, ///< in memory
  atomic_store ///< in memory
};

} // namespace evenly::detail
