// SPDX-License-Identifier: Apache-2.0
// The kinds of access that a trace counts.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

enum class traced_access : std::uint8_t {
  global_load,
  global_store,
  storage_load,
  storage_store,
  atomic,      ///< an operation that changes a value, or is in storage
  atomic_load, ///< in memory
  atomic_store ///< in memory
};

} // namespace evenly::detail
