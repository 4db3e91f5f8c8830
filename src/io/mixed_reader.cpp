// SPDX-License-Identifier: Apache-2.0
#include "io/mixed_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "host/errors.hpp"
#include "host/memory_limits.hpp"

namespace evenly::io {
namespace {

/// The position of the first \r or \n from `from` on. memchr is much faster than find_first_of; the window bounds the
/// search for \n in a file whose lines end in \r.
std::size_t find_line_end(std::string_view text, std::size_t from) {
  constexpr std::size_t window = 512;
  for (; from < text.size(); from += window) {
    std::string_view part = text.substr(from, window);
    part = part.substr(0, part.find('\n'));
    const std::size_t end = std::min(part.find('\r'), part.size());
    if (end < std::min(window, text.size() - from)) return from + end;
  }
  return std::string_view::npos;
}

} // namespace

mixed_reader::mixed_reader(byte_source source) : source_(std::move(source)), buffer_(4 * max_bytes) {}

bool mixed_reader::next(std::string_view& line) {
  constexpr std::size_t none = std::string_view::npos;
  std::size_t end = find_line_end(unread(), 0);
  const auto is_open = [&] { // a \n may follow the \r
    return end == none || (end + 1 == unread().size() && unread()[end] == '\r' && !ends_in_cr_);
  };
  while (is_open()) {
    const std::size_t searched = std::min(end, unread().size());
    if (searched > max_line || !refill()) break;
    end = find_line_end(unread(), searched);
  }
  if (unread().empty()) return false;
  ++lines_;
  line = unread().substr(0, end);
  if (line.size() > max_line) fail(fmt::format("the line is longer than {} bytes", max_line));
  const std::string_view behind = unread().substr(line.size());
  const bool is_crlf = behind.starts_with("\r\n");
  if (lines_ == 1) ends_in_cr_ = behind.starts_with('\r') && !is_crlf;
  at_ += line.size() + (is_crlf && !ends_in_cr_ ? 2 : std::min<std::size_t>(behind.size(), 1));
  return true;
}

bool mixed_reader::next_record(std::string_view& line) {
  while (next(line))
    if (!std::ranges::all_of(line, is_blank)) return true;
  return false;
}

const char* mixed_reader::bytes(std::size_t count) {
  while (used_ - at_ < count)
    if (!refill()) fail_at_end();
  at_ += count;
  return buffer_.data() + at_ - count;
}

void mixed_reader::skip(std::uint64_t count) {
  while (count > 0) {
    const std::size_t now = std::min<std::uint64_t>(count, max_bytes);
    bytes(now);
    count -= now;
  }
}

void mixed_reader::fail_at_end() const {
  fail(fmt::format("the file ends before the last of the {} in the header", things_));
}

void mixed_reader::expect_end() {
  std::string_view line;
  if (!is_binary_) {
    if (next_record(line))
      fail(fmt::format("{} after the last of the {} in the header", host::in_quotes(line), things_));
    return;
  }
  std::size_t padding = 0;
  do {
    const std::string_view rest = unread();
    padding += rest.size();
    at_ = used_;
    const bool is_padding =
        std::ranges::all_of(rest, [](char c) { return c == '\0' || c == '\n' || is_blank(c); });
    if (!is_padding || padding > max_bytes)
      fail(fmt::format("more bytes after the last of the {} in the header", things_));
  } while (refill());
}

void mixed_reader::complain(std::string_view what) const {
  throw file_error(source_.name(), is_binary_ ? 0 : lines_, std::string(what));
}

/// Moves the unread bytes to the front and reads more bytes after them. Returns false at the end.
bool mixed_reader::refill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + at_, used_ - at_);
  used_ -= std::exchange(at_, 0);
  if (used_ == buffer_.size()) { // a long line
    if (const auto shortage = host::memory_shortage(static_cast<std::int64_t>(2 * used_)))
      fail(fmt::format("a line of more than {} bytes: {}", used_, *shortage));
    buffer_.resize(2 * used_);
  }
  const std::size_t got = source_.read(buffer_.data() + used_, buffer_.size() - used_);
  used_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

} // namespace evenly::io
