// SPDX-License-Identifier: Apache-2.0
// The kinds of access that race checks distinguish.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

enum class access_kind : std::uint8_t { read, write, atomic };

} // namespace evenly::detail
