// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evenly::detail {

/// `text` in quotes for a one-line message: bytes other than printable ASCII become question marks, and text above 40
/// characters is truncated with dots.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown = "'";
  for (const char c : text.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > longest ? "...'" : "'");
}

} // namespace evenly::detail
