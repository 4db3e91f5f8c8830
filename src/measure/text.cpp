// SPDX-License-Identifier: Apache-2.0
#include "measure/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/errors.hpp"

namespace evenly::cli {

void print(std::FILE* stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0) return;
  if (errno == EPIPE && stream == stdout) throw io::broken_pipe();
  throw io::output_error(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
}

std::string dump(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::size_t terminal_width(std::FILE* stream) {
  constexpr std::size_t min_width = 40;
  winsize size{};
  const int file = ::fileno(stream);
  if (::isatty(file) != 1 || ::ioctl(file, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return page_width;
  return std::max<std::size_t>(size.ws_col, min_width);
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

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return io::printable(text);
}

std::string grouped(long long number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string milliseconds(double ms) {
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

} // namespace evenly::cli
