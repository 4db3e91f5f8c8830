// SPDX-License-Identifier: Apache-2.0
// Text for people and for files.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace evenly::measure {

/// Maximum line length.
inline constexpr std::size_t page_width = 80;

/// Writes `text` and flushes. Throws output_error if not all of it was written (closed pipe, full disk).
void print(std::FILE* stream, std::string_view text);

/// Columns of `stream`: those of the terminal, at least 40; page_width if it is not a terminal.
std::size_t terminal_width(std::FILE* stream);

/// Whether `stream` is a terminal with bold text. False if the variable NO_COLOR is set or TERM is `dumb`.
bool shows_emphasis(std::FILE* stream);

/// A line in bold, for a terminal.
std::string emphasized(std::string_view line);

/// `text` wrapped between words to `width` columns; each line begins with `indent` and ends with a newline.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width = page_width);

/// Explains shares of the speed of a copy that are printed as more than 100%.
inline constexpr std::string_view faster_than_copy =
    "above 100% of copy: data in a cache, or fewer writes than a copy";
inline bool is_faster_than_copy(double share) { return share >= 1.005; }

/// Without trailing blanks.
std::string trimmed(std::string text);

/// As one line for a terminal: line breaks and tabs become blanks; host::printable escapes the rest.
std::string one_line(std::string text);

/// With separators between thousands: 1,497,134.
std::string grouped(long long number);

/// A number with its noun: `1 tile`, `1,200 tiles`. `plural`: the plural, if it is irregular.
std::string with_noun(std::int64_t number, std::string_view noun, std::string_view plural = {});

/// Milliseconds with at least three digits; at most 8 characters below 100 s.
std::string milliseconds(double ms);

/// The parts, separated by ", ".
std::string joined(const std::vector<std::string>& parts);

/// `text` escaped for XML, including attributes. Control characters, which XML does not allow, become blanks.
std::string xml_escaped(std::string_view text);

} // namespace evenly::measure
