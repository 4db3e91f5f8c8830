// SPDX-License-Identifier: Apache-2.0
// The default, minimum and maximum size of the stack of a simulated thread.
#pragma once

#include <cstddef>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

#if defined(EVENLY_ADDRESS_SANITIZER) || defined(EVENLY_THREAD_SANITIZER)
inline constexpr std::size_t default_stack_bytes =
    256 * 1024; // instrumented frames are several times as large
#else
inline constexpr std::size_t default_stack_bytes = 64 * 1024;
#endif
inline constexpr std::size_t min_stack_bytes = 16 * 1024;
inline constexpr std::size_t max_stack_bytes = std::size_t{1} << 30;

} // namespace evenly::detail
