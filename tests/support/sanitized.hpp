// SPDX-License-Identifier: Apache-2.0
// Whether a sanitizer watches: then all takes ten times as long and more, and tests do with less; and
// address space cannot be limited.
#pragma once

namespace evenly {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

} // namespace evenly
