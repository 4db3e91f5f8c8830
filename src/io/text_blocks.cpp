// SPDX-License-Identifier: Apache-2.0
#include "io/text_blocks.hpp"

#include <algorithm>
#include <cstring>

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

text_blocks::text_blocks(byte_source source) : source_(std::move(source)), buffer_(block_bytes) {}

bool text_blocks::next() {
  // What is behind the last whole line moves to the front.
  const char* const rest = text_.data() == nullptr ? buffer_.data() : text_.data() + text_.size();
  used_ -= static_cast<std::size_t>(rest - buffer_.data());
  std::memmove(buffer_.data(), rest, used_);
  std::size_t whole = 0;
  while (!at_end_ && (whole == 0 || used_ < block_bytes)) {
    if (used_ == buffer_.size()) {
      if (whole > 0) break;
      if (used_ > longest_line) {
        ++lines_;
        fail(fmt::format("the line is longer than {} bytes", longest_line));
      }
      buffer_.resize(2 * used_);
    }
    const std::size_t got = source_.read(buffer_.data() + used_, buffer_.size() - used_);
    const char* const begin = buffer_.data();
    const void* const last = got == 0 ? nullptr : memrchr(begin + used_, '\n', got);
    if (last != nullptr) whole = static_cast<std::size_t>(static_cast<const char*>(last) - begin) + 1;
    used_ += got;
    at_end_ = got == 0;
  }
  if (at_end_) whole = used_;
  text_ = {buffer_.data(), whole};
  return whole > 0;
}

bool text_blocks::next_line(std::string_view& line) {
  if (text_.empty() && !next()) return false;
  line = without_blanks(take_line(text_));
  ++lines_;
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

void text_blocks::take(std::size_t bytes) {
  const std::string_view taken = text_.substr(0, bytes);
  lines_ += std::ranges::count(taken, '\n');
  text_.remove_prefix(bytes);
}

void text_blocks::complain(std::string_view what) const {
  throw file_error(source_.name(), lines_, std::string(what));
}

} // namespace evenly::io
