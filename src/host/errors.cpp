// SPDX-License-Identifier: Apache-2.0
#include "host/errors.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace evenly::host {
namespace {

/// The first character of `text` and its number of bytes: 0 if they are not UTF-8.
struct character {
  char32_t code;
  std::size_t bytes;
};

character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80                       ? 1
                            : byte(0) >= 0xc2 && byte(0) <= 0xdf ? 2
                            : byte(0) >= 0xe0 && byte(0) <= 0xef ? 3
                            : byte(0) >= 0xf0 && byte(0) <= 0xf4 ? 4
                                                                 : 0;
  if (bytes == 0 || bytes > text.size()) return {0, 0};
  char32_t code = bytes == 1 ? byte(0) : byte(0) & (0x7f >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr char32_t min[] = {0, 0, 0x80, 0x800, 0x10000}; // smallest character of each length
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code < min[bytes] || surrogate || code > 0x10ffff ? character{0, 0} : character{code, bytes};
}

/// Whether a character does more than move the cursor by its width.
bool controls(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0)           // C0, DEL, C1
         || c == 0x61c || (c >= 0x200b && c <= 0x200f) // no width, direction
         || (c >= 0x2028 && c <= 0x202e)               // line and paragraph, direction
         || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

/// The minimum number of letters to insert, delete, change or swap with a neighbour to turn `b` into `a` (optimal
/// string alignment: Damerau 1964). O(|a| |b|).
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

} // namespace

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const auto [code, bytes] = first_character(text);
    const std::string_view taken = text.substr(0, bytes == 0 ? 1 : bytes);
    text.remove_prefix(taken.size());
    if (bytes > 0 && !controls(code))
      shown += taken;
    else
      for (const char c : taken) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return shown;
}

std::string did_you_mean(std::string_view text, std::span<const std::string> names) {
  if (text.size() > 64) return "";
  const auto in_lower_case = [](std::string_view word) {
    std::string lower(word);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
  };
  const std::string wanted = in_lower_case(text);
  const std::string* best = nullptr;
  std::size_t min = 1 + std::max<std::size_t>(1, text.size() / 3);
  for (const std::string& name : names)
    if (const std::size_t found = edits_between(wanted, in_lower_case(name)); found < min) {
      min = found;
      best = &name;
    }
  return best == nullptr ? "" : fmt::format(" (did you mean {}?)", *best);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  return fmt::format("'{}{}'", printable(text.substr(0, longest)), text.size() > longest ? "..." : "");
}

} // namespace evenly::host
