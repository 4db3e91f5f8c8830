// SPDX-License-Identifier: Apache-2.0
// Lines of a text file and the numbers on them, with the line number in every complaint.
//
// The file is read in blocks and a line is a view into the block; numbers are parsed by std::from_chars. What
// is held is bounded whatever the file contains: lines are refused beyond a length, and so are endless
// comments.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "io/byte_source.hpp"
#include "io/numbers.hpp"

namespace evenly::io {

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf"; // which editors on Windows write first

/// Where a complaint about a line says that it is.
class line_place {
 public:
  /// Throws file_error `name:line: what`, or what becomes one.
  [[noreturn]] void fail(std::string_view what) const {
    complain(what);
    std::terminate();
  }

 protected:
  ~line_place() = default;

 private:
  /// Throws: what fail does. (GCC 12 does not believe that a virtual function never returns.)
  virtual void complain(std::string_view what) const = 0;
};

class line_reader final : public line_place {
 public:
  static constexpr std::size_t longest_line = 1 << 16;    ///< bytes
  static constexpr std::size_t longest_comment = 4 << 20; ///< bytes of blank lines and comments in a row

  explicit line_reader(byte_source source);

  /// Reads the next line: without its end (\n or \r\n) and without leading and trailing blanks. False at the
  /// end. `line` is valid until the next call. Throws file_error for a line beyond `longest_line`.
  bool next(std::string_view& line);

  /// The same, passing over blank lines and lines that start with one of `comment`.
  /// Throws file_error after `longest_comment` bytes of these in a row.
  bool next_record(std::string_view& line, std::string_view comment);

  /// 1-based number of the last line read; 0 before the first.
  std::int64_t line_number() const { return line_number_; }

 private:
  /// `name:line: what` for the last line read; `name: what` before the first.
  void complain(std::string_view what) const override;
  bool refill();

  byte_source source_;
  std::vector<char> buffer_;
  const char* begin_; ///< the unread part of the buffer is [begin_, end_)
  const char* end_;
  bool at_end_ = false; ///< the source has no more
  std::int64_t line_number_ = 0;
  std::size_t line_bytes_ = 0; ///< of the last line, with its blanks and end
};

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Of text that something else than blanks follows.
inline void skip_blanks(const char*& at) {
  while (is_blank(*at)) ++at;
}

/// Takes fields, separated by blanks, from a line. Each complaint is the fail() of its place: the reader's that read it
/// last.
class field_reader {
 public:
  field_reader(const line_place& place, std::string_view line)
      : place_(place), at_(line.data()), end_(line.data() + line.size()) {}

  /// Whether nothing is left on the line.
  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }

  /// The next field, empty at the end of the line.
  std::string_view word();
  /// What is left of the line.
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  /// The next field as an integer in [least, most]. `what` names it in complaints.
  std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    const char* const start = number_start();
    const auto [stop, status] = std::from_chars(start, end_, value);
    if (status != std::errc{} || !ends_at(stop) || value < least || value > most)
      refuse_integer(what, status, least, most);
    at_ = stop;
    return value;
  }

  /// The next field as a double. Infinity and NaN are numbers, written as std::from_chars takes them
  /// (inf, infinity, nan in any case); what a double cannot hold (1e999, 1e-999) is refused.
  double real(std::string_view what) {
    double value = 0;
    const char* const start = number_start();
    const auto [stop, status] = parse_real(start, end_, value);
    if (status != std::errc{} || !ends_at(stop)) refuse_real(what, status);
    at_ = stop;
    return value;
  }

  /// The same, but what a double cannot hold becomes infinity or zero, and `rounded` its text; and the words of C's
  /// older library on Windows are numbers (1.#INF, -1.#IND, 1.#QNAN).
  double rounded_real(std::string_view what, std::string_view& rounded);

  /// The next field as an integer from 0 to 2^64 - 1.
  std::uint64_t unsigned_integer(std::string_view what);

  /// Throws file_error if anything is left on the line. `after` names the last field that belongs there.
  void finish(std::string_view after);

 private:
  /// Where the next number's digits or minus start: a plus, which from_chars does not know, is passed over.
  const char* number_start() {
    skip_blanks();
    return end_ - at_ >= 2 && *at_ == '+' && at_[1] != '-' ? at_ + 1 : at_;
  }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  bool ends_at(const char* place) const { return place == end_ || is_blank(*place); }
  [[noreturn]] void refuse_integer(std::string_view what, std::errc status, std::int64_t least,
                                   std::int64_t most);
  [[noreturn]] void refuse_real(std::string_view what, std::errc status);

  const line_place& place_;
  const char* at_;
  const char* end_;
};

} // namespace evenly::io
