// SPDX-License-Identifier: Apache-2.0
#include "io/text_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "evenly/execution/executor.hpp"
#include "host/errors.hpp"
#include "host/memory_limits.hpp"

namespace evenly::io {
namespace {

/// Removes the first line of `text`, and returns it without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// The number of bytes of a plain file; 0 for other sources, whose size is unknown.
std::int64_t size_of(const byte_source& source) {
  std::error_code unknown;
  const auto path = source.plain_file();
  const std::uintmax_t bytes = path ? std::filesystem::file_size(*path, unknown) : 0;
  return unknown ? 0 : static_cast<std::int64_t>(bytes);
}

constexpr std::size_t room = 1 << 16; // for the start of the first line that is read ahead

/// Replaces each \r that is a line end by \n. The last character stays, because a \n may follow.
void end_lines(std::span<char> text) {
  char* const last = text.data() + text.size() - 1;
  for (char* at = text.data(); at < last; ++at) {
    at = static_cast<char*>(std::memchr(at, '\r', static_cast<std::size_t>(last - at)));
    if (at == nullptr) return;
    if (at[1] != '\n') *at = '\n';
  }
}

} // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

bool begins_utf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

bool piece_reader::next(std::string_view& line) {
  if (rest_.empty()) return false;
  line = without_blanks(take_line(rest_));
  ++line_;
  return true;
}

std::int64_t piece_reader::count_records(std::string_view text, char comment) {
  std::int64_t records = 0;
  piece_reader lines(text);
  for (std::string_view line; lines.next(line);) records += line.empty() || line.front() != comment ? 1 : 0;
  return records;
}

void piece_reader::complain(std::string_view what) const { throw complaint{line_, std::string(what)}; }

text_blocks::text_blocks(byte_source source, std::size_t bytes)
    : source_(std::move(source)), block_(bytes),
      progress_("reading " + source_.name(), size_of(source_), host::progress_unit::bytes) {}

/// Reads up to `max` bytes, or up to the end.
std::size_t text_blocks::read(char* to, std::size_t max) {
  std::size_t bytes = 0;
  while (!at_end_ && bytes < max) {
    const std::size_t got = source_.read(to + bytes, max - bytes);
    bytes += got;
    at_end_ = got == 0;
  }
  return bytes;
}

/// Reads about one block, or up to the end. An exception is kept for next().
void text_blocks::read_ahead() {
  if (has_ahead_) return;
  try {
    const std::size_t max = std::exchange(next_, std::min(4 * next_, block_));
    ahead_.resize(room + max + 1); // a line end at the end of the file
    ahead_bytes_ = read(ahead_.data() + room, max);
  } catch (...) {
    ahead_thrown_ = std::current_exception();
  }
  has_ahead_ = true;
}

/// Makes the bytes that were read ahead the buffer, after `rest` of the old one.
void text_blocks::put_behind(std::string_view rest) {
  if (rest.size() > room) ahead_.insert(ahead_.begin(), rest.size() - room, '\0');
  const std::size_t front = std::max(room, rest.size());
  begin_ = front - rest.size();
  end_ = front + ahead_bytes_;
  std::ranges::copy(rest, ahead_.begin() + static_cast<std::ptrdiff_t>(begin_));
  std::swap(buffer_, ahead_);
  has_ahead_ = false;
}

/// Doubles a line that is longer than the buffer by more bytes. Refuses NUL bytes from `checked` on, because a damaged
/// or binary file may have a line without an end.
void text_blocks::extend_line(std::size_t checked) {
  const std::size_t held = end_ - begin_;
  if (std::memchr(buffer_.data() + checked, '\0', end_ - checked) != nullptr) {
    ++lines_;
    fail(fmt::format("a line of more than {} bytes, with NUL bytes: {}", held, nul_rule));
  }
  const std::size_t size = end_ + held + 1;
  if (const auto shortage =
          size <= block_ ? std::nullopt : host::memory_shortage(static_cast<std::int64_t>(size))) {
    ++lines_;
    fail(fmt::format("a line of more than {} bytes: {}", held, *shortage));
  }
  std::vector<char> larger(size);
  std::memcpy(larger.data(), buffer_.data(), end_);
  buffer_ = std::move(larger);
  const std::size_t bytes = read(buffer_.data() + end_, held);
  end_ += bytes;
  report(bytes);
}

void text_blocks::report(std::size_t bytes) {
  bytes_ += static_cast<std::int64_t>(bytes);
  progress_.at(bytes_);
}

/// Skips the byte-order mark of UTF-8 and refuses that of UTF-16.
void text_blocks::check_start() {
  const std::string_view text(buffer_.data() + begin_, end_ - begin_);
  if (begins_utf16(text)) {
    lines_ = 1;
    fail(utf16_rule);
  }
  begin_ += text.size() - without_byte_order_mark(text).size();
}

/// The number of bytes in the buffer up to the last line end; 0 if there is none. Bytes before `checked` have no line
/// end.
std::size_t text_blocks::whole_lines(std::size_t checked) {
  if (end_ == begin_) return 0;
  if (at_end_ && buffer_[end_ - 1] != '\n') buffer_[end_++] = '\n';
  end_lines({buffer_.data() + checked, end_ - checked});
  const void* const last = memrchr(buffer_.data() + checked, '\n', end_ - checked);
  return last == nullptr
             ? 0
             : static_cast<std::size_t>(static_cast<const char*>(last) - buffer_.data()) + 1 - begin_;
}

bool text_blocks::next() {
  detail::check_interrupt();
  const bool is_first = buffer_.empty();
  const std::size_t rest = text_.data() == nullptr
                               ? begin_
                               : static_cast<std::size_t>(text_.data() + text_.size() - buffer_.data());
  text_ = {};
  read_ahead();
  if (ahead_thrown_) std::rethrow_exception(ahead_thrown_);
  report(ahead_bytes_);
  put_behind({buffer_.data() + rest, end_ - rest});
  if (is_first) check_start();
  std::size_t checked = begin_;
  std::size_t whole = whole_lines(checked);
  while (whole == 0 && !at_end_) {
    extend_line(std::exchange(checked, end_ - 1)); // a \n may follow a \r there
    whole = whole_lines(checked);
  }
  text_ = {buffer_.data() + begin_, whole};
  return whole > 0;
}

bool text_blocks::next_raw_line(std::string_view& line) {
  if (text_.empty() && !next()) return false;
  ++lines_;
  line = take_line(text_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

bool text_blocks::next_line(std::string_view& line) {
  if (!next_raw_line(line)) return false;
  line = without_blanks(line);
  return true;
}

bool text_blocks::next_record(std::string_view& line, std::string_view comments) {
  while (next_line(line))
    if (!line.empty() && comments.find(line.front()) == std::string_view::npos) return true;
  return false;
}

std::vector<std::string_view> text_blocks::cut_text() const {
  constexpr std::size_t min_bytes = 1 << 16; // of a piece
  const std::size_t each = std::max(min_bytes, text_.size() / 128);
  std::vector<std::string_view> pieces;
  for (std::string_view rest = text_; !rest.empty();) {
    const std::size_t end = each < rest.size() ? rest.find('\n', each) : std::string_view::npos;
    pieces.push_back(rest.substr(0, end == std::string_view::npos ? rest.size() : end + 1));
    rest.remove_prefix(pieces.back().size());
  }
  return pieces;
}

void text_blocks::rethrow(const std::exception_ptr& thrown, std::string_view piece) {
  try {
    std::rethrow_exception(thrown);
  } catch (const piece_reader::complaint& found) {
    take(static_cast<std::size_t>(piece.data() - text_.data()));
    lines_ += found.line;
    fail(found.what);
  }
}

void text_blocks::take(std::size_t bytes) { take(bytes, std::ranges::count(text_.substr(0, bytes), '\n')); }

void text_blocks::take(std::size_t bytes, std::int64_t lines) {
  lines_ += lines;
  text_.remove_prefix(bytes);
}

void text_blocks::complain(std::string_view what) const {
  throw file_error(source_.name(), lines_, std::string(what));
}

} // namespace evenly::io
