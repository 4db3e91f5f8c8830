// SPDX-License-Identifier: Apache-2.0
#include "io/line_reader.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "io/errors.hpp"

namespace evenly::io {

line_reader::line_reader(byte_source source) : source_(std::move(source)), buffer_(8 * longest_line) {
  begin_ = end_ = buffer_.data();
}

bool line_reader::next(std::string_view& line) {
  const char* stop = nullptr;
  while (true) {
    stop = static_cast<const char*>(std::memchr(begin_, '\n', static_cast<std::size_t>(end_ - begin_)));
    if (stop != nullptr || static_cast<std::size_t>(end_ - begin_) > longest_line || !refill()) break;
  }
  if (begin_ == end_) return false;
  ++line_number_;
  const char* last = stop != nullptr ? stop : end_;
  if (static_cast<std::size_t>(last - begin_) > longest_line)
    fail(fmt::format("the line is longer than {} bytes", longest_line));
  const char* first = begin_;
  line_bytes_ = static_cast<std::size_t>(last - first) + 1;
  begin_ = stop != nullptr ? stop + 1 : end_;
  while (first != last && is_blank(*first)) ++first;
  while (first != last && is_blank(last[-1])) --last;
  line = {first, static_cast<std::size_t>(last - first)};
  return true;
}

/// Moves the unread part to the buffer's front and reads on behind it. False if there was nothing more.
bool line_reader::refill() {
  if (at_end_) return false;
  const auto unread = static_cast<std::size_t>(end_ - begin_);
  std::memmove(buffer_.data(), begin_, unread);
  const std::size_t got = source_.read(buffer_.data() + unread, buffer_.size() - unread);
  begin_ = buffer_.data();
  end_ = begin_ + unread + got;
  at_end_ = got == 0;
  return !at_end_;
}

bool line_reader::next_record(std::string_view& line, std::string_view comment) {
  std::size_t passed = 0;
  while (next(line)) {
    if (!line.empty() && comment.find(line.front()) == std::string_view::npos) return true;
    passed += line_bytes_;
    if (passed > longest_comment)
      fail(fmt::format("more than {} bytes of comments and blank lines in a row", longest_comment));
  }
  return false;
}

void line_reader::complain(std::string_view what) const {
  throw file_error(source_.name(), line_number_, std::string(what));
}

std::string_view field_reader::word() {
  skip_blanks();
  const char* const start = at_;
  while (at_ != end_ && !is_blank(*at_)) ++at_;
  return {start, static_cast<std::size_t>(at_ - start)};
}

void field_reader::finish(std::string_view after) {
  const std::string_view extra = word();
  if (!extra.empty())
    place_.fail(fmt::format("{} after the {}, where the line must end", in_quotes(extra), after));
}

double field_reader::rounded_real(std::string_view what, std::string_view& rounded) {
  double value = 0;
  const char* const start = number_start();
  const auto [stop, status] = parse_real(start, end_, value);
  if (status == std::errc{} && ends_at(stop)) {
    at_ = stop;
    return value;
  }
  if (status == std::errc::result_out_of_range && ends_at(stop)) {
    rounded = {start, static_cast<std::size_t>(stop - start)};
    at_ = stop;
    return rounded_beyond(start, stop);
  }
  const char* const here = at_;
  std::string_view found = word();
  const bool negative = found.starts_with('-');
  if (negative || found.starts_with('+')) found.remove_prefix(1);
  const auto says = [&](std::string_view special) { return found.starts_with(special); };
  if (says("1.#INF"))
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (says("1.#IND") || says("1.#QNAN") || says("1.#SNAN")) return std::numeric_limits<double>::quiet_NaN();
  at_ = here;
  refuse_real(what, status);
}

std::uint64_t field_reader::unsigned_integer(std::string_view what) {
  std::uint64_t value = 0;
  const char* const start = number_start();
  const auto [stop, status] = std::from_chars(start, end_, value);
  if (status == std::errc{} && ends_at(stop)) {
    at_ = stop;
    return value;
  }
  const std::string_view found = word();
  if (found.empty()) place_.fail(fmt::format("the line ends where the {} should be", what));
  const std::size_t sign = found.starts_with('-') || found.starts_with('+') ? 1 : 0;
  if (found.size() == sign || found.find_first_not_of("0123456789", sign) != std::string_view::npos)
    place_.fail(fmt::format("{} is not an integer: the {} must be one", in_quotes(found), what));
  place_.fail(fmt::format("the {} is {}: it must be 0 to {}", what, in_quotes(found),
                          std::numeric_limits<std::uint64_t>::max()));
}

void field_reader::refuse_integer(std::string_view what, std::errc status, std::int64_t least,
                                  std::int64_t most) {
  const std::string_view found = word();
  if (found.empty()) place_.fail(fmt::format("the line ends where the {} should be", what));
  const std::size_t sign = found.starts_with('-') || found.starts_with('+') ? 1 : 0;
  const bool numeric = status != std::errc::invalid_argument &&
                       found.find_first_not_of("0123456789", sign) == std::string_view::npos;
  if (!numeric) place_.fail(fmt::format("{} is not an integer: the {} must be one", in_quotes(found), what));
  place_.fail(fmt::format("the {} is {}: it must be {} to {}", what, in_quotes(found), least, most));
}

void field_reader::refuse_real(std::string_view what, std::errc status) {
  const std::string_view found = word();
  if (found.empty()) place_.fail(fmt::format("the line ends where the {} should be", what));
  if (status == std::errc::result_out_of_range)
    place_.fail(fmt::format("the {} is {}, beyond the range of a double", what, in_quotes(found)));
  place_.fail(fmt::format("{} is not a number: the {} must be one", in_quotes(found), what));
}

} // namespace evenly::io
