// SPDX-License-Identifier: Apache-2.0
// Text that goes to people and into files.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace evenly::measure {

/// Lines are not longer than this.
inline constexpr std::size_t page_width = 80;

/// Writes `text` and flushes. Throws output_error when not all of it could be written (closed pipe, full disk).
void print(std::FILE* stream, std::string_view text);

/// How many characters a line of `stream` has: those of the terminal, 40 at least; page_width for anything else.
std::size_t terminal_width(std::FILE* stream);

/// Whether `stream` is a terminal that shows bold text; not if the variable NO_COLOR is set, or TERM is `dumb`.
bool shows_emphasis(std::FILE* stream);

/// A line in bold, for a terminal.
std::string emphasized(std::string_view line);

/// `text` broken between words into lines of `width`, each after `indent`, each with a newline.
std::string wrapped(std::string_view text, std::string_view indent, std::size_t width = page_width);

/// Without blanks at the end.
std::string trimmed(std::string text);

/// As one line that a terminal can be shown: breaks and tabs become blanks, the rest is host::printable.
std::string one_line(std::string text);

/// With separators between thousands: 1,497,134.
std::string grouped(long long number);

/// A number of things: `1 tile`, `1,200 tiles`. `plural`: the noun's, where it is not made by an s.
std::string with_noun(std::int64_t number, std::string_view noun, std::string_view plural = {});

/// A length of time in milliseconds, with three digits or more; in short: 8 characters at most below 100 s.
std::string milliseconds(double ms);

/// Put together with ", " between.
std::string joined(const std::vector<std::string>& parts);

/// `text` as it stands in XML, in an attribute too. Control characters, which XML cannot hold, become blanks.
std::string xml_escaped(std::string_view text);

} // namespace evenly::measure
