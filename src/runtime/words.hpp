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

/// A number of things: `1 tile`, `1,200 tiles`. `plural`: the noun's, where it is not made by an s.
std::string with_noun(long long number, std::string_view noun, std::string_view plural = {});

/// `text` broken between words into lines of `width` columns, each after `indent`, each with a newline.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width);

} // namespace evenly::detail
