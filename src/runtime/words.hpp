// SPDX-License-Identifier: Apache-2.0
// Text for people, without a library for it: what evenly::runtime is linked with stays as it is.
#pragma once

#include <string>
#include <string_view>

namespace evenly::detail {

/// As std::printf writes it.
[[gnu::format(printf, 1, 2)]] std::string printed(const char* pattern, ...);

/// With separators between thousands: 1,497,134.
std::string grouped(long long number);

/// `text` broken between words into lines of `width` columns, each after `indent`, each with a newline.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width);

} // namespace evenly::detail
