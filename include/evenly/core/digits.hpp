// SPDX-License-Identifier: Apache-2.0
// digits_of: numbers in messages.
#pragma once

#include <array>
#include <charconv>
#include <string>

#include "evenly/core/annotations.hpp"

namespace evenly::detail {

/// The shortest text that identifies the number.
template <class T> std::string digits_of(T number) {
  std::array<char, 32> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), written.ptr};
}

} // namespace evenly::detail
