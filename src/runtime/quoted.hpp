// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evenly::detail {

/// `text` in quotes, for a message of one line: what is not a printable character of ASCII is a question mark, and what
/// is longer than 40 characters is cut with dots.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown = "'";
  for (const char c : text.substr(0, longest)) shown += c >= ' ' && c <= '~' ? c : '?';
  return shown + (text.size() > longest ? "...'" : "'");
}

} // namespace evenly::detail
