// SPDX-License-Identifier: Apache-2.0
#include "runtime/words.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace evenly::detail {

std::string printed(const char* pattern, ...) {
  std::va_list values, again;
  va_start(values, pattern);
  va_copy(again, values);
  const int size = std::vsnprintf(nullptr, 0, pattern, values);
  va_end(values);
  std::string text(static_cast<std::size_t>(std::max(size, 0)) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), pattern, again);
  va_end(again);
  text.pop_back();
  return text;
}

std::string grouped(long long number) {
  std::string digits = std::to_string(number);
  const std::size_t sign = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > 3 + sign;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string with_noun(long long number, std::string_view noun, std::string_view plural) {
  std::string text = grouped(number) + ' ';
  if (number == 1 || plural.empty()) text += noun;
  if (number != 1) text += plural.empty() ? "s" : plural;
  return text;
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  std::string lines;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool fits = column > 0 && column + 1 + word.size() <= width;
    if (column > 0) lines += fits ? ' ' : '\n';
    if (!fits) lines += indent;
    column = (fits ? column + 1 : indent.size()) + word.size();
    lines += word;
  }
  return lines + '\n';
}

} // namespace evenly::detail
