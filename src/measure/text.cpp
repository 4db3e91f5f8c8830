// SPDX-License-Identifier: Apache-2.0
#include "measure/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/errors.hpp"
#include "runtime/words.hpp"

namespace evenly::measure {

void print(std::FILE* stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0) return;
  if (errno == EPIPE && stream == stdout) throw host::broken_pipe();
  throw host::output_error(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
}

std::size_t terminal_width(std::FILE* stream) {
  constexpr std::size_t min_width = 40;
  winsize size{};
  const int file = ::fileno(stream);
  if (::isatty(file) != 1 || ::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return page_width;
  return std::max<std::size_t>(size.ws_col, min_width);
}

bool shows_emphasis(std::FILE* stream) {
  const char* const terminal = std::getenv("TERM");
  const char* const plain = std::getenv("NO_COLOR");
  return ::isatty(::fileno(stream)) == 1 && (plain == nullptr || *plain == '\0') &&
         (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string emphasized(std::string_view line) {
  const bool has_end = line.ends_with('\n');
  if (has_end) line.remove_suffix(1);
  return fmt::format("\x1b[1m{}\x1b[0m{}", line, has_end ? "\n" : "");
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  return detail::wrapped(text, indent, width);
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return host::printable(text);
}

std::string grouped(long long number) { return detail::grouped(number); }

std::string with_noun(std::int64_t number, std::string_view noun, std::string_view plural) {
  return detail::with_noun(number, noun, plural);
}

std::string milliseconds(double ms) {
  if (ms < 1e-3) return fmt::format("{:.3g}", ms);
  const int decimals = ms < 1 ? 4 : ms < 10 ? 3 : ms < 100 ? 2 : ms < 1e4 ? 1 : 0;
  return fmt::format("{:.{}f}", ms, decimals);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string list;
  for (const std::string& part : parts) {
    if (!list.empty()) list += ", ";
    list += part;
  }
  return list;
}

std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : one_line(std::string(text))) switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += c;
    }
  return escaped;
}

} // namespace evenly::measure
