// SPDX-License-Identifier: Apache-2.0
#include "io/text_blocks.hpp"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "io/errors.hpp"

namespace evenly::io {
namespace {

/// Takes the first line of `text`, without its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

/// How many bytes there are to read, of a plain file; 0 of others, of which nobody knows.
std::int64_t size_of(const byte_source& source) {
  std::error_code unknown;
  const auto path = source.plain_file();
  const std::uintmax_t bytes = path ? std::filesystem::file_size(*path, unknown) : 0;
  return unknown ? 0 : static_cast<std::int64_t>(bytes);
}

constexpr std::size_t room = 1 << 16; // in front of what is read ahead, for a line that began before

/// Makes every \r that ends a line alone a \n. The last character is left: a \n may follow.
void end_lines(std::span<char> text) {
  char* const last = text.data() + text.size() - 1;
  for (char* at = text.data(); at < last; ++at) {
    at = static_cast<char*>(std::memchr(at, '\r', static_cast<std::size_t>(last - at)));
    if (at == nullptr) return;
    if (at[1] != '\n') *at = '\n';
  }
}

std::string_view without_blanks(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

} // namespace

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

text_blocks::text_blocks(byte_source source, std::size_t longest, std::size_t bytes)
    : source_(std::move(source)), longest_(longest), block_(bytes),
      progress_("reading " + source_.name(), size_of(source_), progress_unit::bytes) {}

/// Reads a block's worth of bytes, or up to the end. What is thrown waits for next().
void text_blocks::read_ahead() {
  if (has_ahead_) return;
  try {
    const std::size_t most = std::exchange(next_, std::min(4 * next_, block_));
    ahead_.resize(room + most + 1); // a line end at the end of the file
    ahead_bytes_ = 0;
    while (!at_end_ && ahead_bytes_ < most) {
      const std::size_t got = source_.read(ahead_.data() + room + ahead_bytes_, most - ahead_bytes_);
      ahead_bytes_ += got;
      at_end_ = got == 0;
    }
  } catch (...) {
    ahead_thrown_ = std::current_exception();
  }
  has_ahead_ = true;
}

/// Makes what was read ahead the buffer, behind `rest` of the old one.
void text_blocks::put_behind(std::string_view rest) {
  if (rest.size() > room) ahead_.insert(ahead_.begin(), rest.size() - room, '\0');
  const std::size_t front = std::max(room, rest.size());
  begin_ = front - rest.size();
  end_ = front + ahead_bytes_;
  std::ranges::copy(rest, ahead_.begin() + static_cast<std::ptrdiff_t>(begin_));
  std::swap(buffer_, ahead_);
  has_ahead_ = false;
}

bool text_blocks::next() {
  std::size_t whole = 0; // where the last line ends that ends in what is read
  std::size_t rest = text_.data() == nullptr
                         ? begin_
                         : static_cast<std::size_t>(text_.data() + text_.size() - buffer_.data());
  text_ = {};
  do {
    if (end_ - rest > longest_) {
      ++lines_;
      fail(fmt::format("the line is longer than {} bytes", longest_));
    }
    read_ahead();
    if (ahead_thrown_) std::rethrow_exception(ahead_thrown_);
    if (ahead_bytes_ == 0 && rest == end_) {
      begin_ = end_;
      return false;
    }
    bytes_ += static_cast<std::int64_t>(ahead_bytes_);
    progress_.at(bytes_);
    put_behind({buffer_.data() + rest, end_ - rest});
    rest = begin_;
    if (at_end_ && buffer_[end_ - 1] != '\n') buffer_[end_++] = '\n';
    end_lines({buffer_.data() + begin_, end_ - begin_});
    const void* const last = memrchr(buffer_.data() + begin_, '\n', end_ - begin_);
    if (last != nullptr)
      whole = static_cast<std::size_t>(static_cast<const char*>(last) - buffer_.data()) + 1;
  } while (whole == 0);
  text_ = {buffer_.data() + begin_, whole - begin_};
  return true;
}

bool text_blocks::next_line(std::string_view& line) {
  if (text_.empty() && !next()) return false;
  ++lines_;
  line = take_line(text_);
  if (line.size() > longest_) fail(fmt::format("the line is longer than {} bytes", longest_));
  line = without_blanks(line);
  return true;
}

std::vector<std::string_view> text_blocks::cut_text() const {
  constexpr std::size_t least_bytes = 1 << 16; // of a piece
  const std::size_t each = std::max(least_bytes, text_.size() / 128);
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
