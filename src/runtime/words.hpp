// SPDX-License-Identifier: Apache-2.0
// Text formatting without a library, so that evenly::runtime has no additional dependency.
#pragma once

#include <string>
#include <string_view>

namespace evenly::detail {

/// Formats like std::printf.
[[gnu::format(printf, 1, 2)]] std::string printed(const char* pattern, ...);

/// With separators between thousands: 1,497,134.
std::string grouped(long long number);

/// A number with its noun: `1 tile`, `1,200 tiles`. `plural`: the plural, if it is irregular.
std::string with_noun(long long number, std::string_view noun, std::string_view plural = {});

/// `text` wrapped between words to `width` columns; each line begins with `indent` and ends with a newline.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width);

} // namespace evenly::detail
