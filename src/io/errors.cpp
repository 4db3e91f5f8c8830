// SPDX-License-Identifier: Apache-2.0
#include "io/errors.hpp"

#include <cstddef>

#include <fmt/format.h>

namespace evenly::io {

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f)
      shown += c;
    else
      shown += fmt::format("\\x{:02x}", byte);
  }
  return shown;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  return fmt::format("'{}{}'", printable(text.substr(0, longest)), text.size() > longest ? "..." : "");
}

} // namespace evenly::io
