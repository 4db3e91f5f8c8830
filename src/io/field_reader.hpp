// SPDX-License-Identifier: Apache-2.0
// The fields of a line of text, separated by blanks, and the place that errors about them name.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include "io/numbers.hpp"

namespace evenly::io {

inline constexpr std::string_view nul_rule = "the file is damaged or is not text";

/// The line that errors are reported for.
class line_place {
 public:
  /// Throws file_error `name:line: what`, or an exception that becomes one.
  [[noreturn]] void fail(std::string_view what) const {
    complain(what);
    std::terminate();
  }

 protected:
  ~line_place() = default;

 private:
  /// Always throws. (GCC 12 rejects [[noreturn]] on a virtual function.)
  virtual void complain(std::string_view what) const = 0;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Skips blanks from `at` on. A character that is not blank must follow.
inline void skip_blanks(const char*& at) {
  while (is_blank(*at)) ++at;
}

/// The same text without the blanks at both ends.
inline std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes fields, separated by blanks, from a line. Errors are reported by the fail() of `place`.
class field_reader {
 public:
  field_reader(const line_place& place, std::string_view line)
      : place_(place), at_(line.data()), end_(line.data() + line.size()) {}

  /// Whether the line has no more fields.
  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }

  /// The next field, empty at the end of the line.
  std::string_view word();
  /// The rest of the line.
  std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

  /// The next field as an integer in [least, most]. `what` names it in errors.
  std::int64_t integer(std::string_view what, std::int64_t min, std::int64_t max) {
    std::int64_t value = 0;
    const char* const start = number_start();
    const auto [stop, status] = std::from_chars(start, end_, value);
    if (status != std::errc{} || !ends_at(stop) || value < min || value > max)
      refuse_integer(what, status, min, max);
    at_ = stop;
    return value;
  }

  /// The next field as a double. Infinity and NaN are numbers, written as std::from_chars takes them
  /// (inf, infinity, nan in any case). Numbers beyond the range of a double (1e999, 1e-999) are refused.
  double real(std::string_view what) {
    double value = 0;
    const char* const start = number_start();
    const auto [stop, status] = parse_real(start, end_, value);
    if (status != std::errc{} || !ends_at(stop)) refuse_real(what, status);
    at_ = stop;
    return value;
  }

  /// The next field as a double, in more notations than real():
  /// - a number beyond the range of a double becomes infinity or zero, and `rounded` is set to its text;
  /// - the exponent may begin with d or D, as Fortran writes it;
  /// - 1.#INF, -1.#INF, 1.#IND and 1.#QNAN are numbers, as older C libraries on Windows write them.
  double rounded_real(std::string_view what, std::string_view& rounded);

  /// The next field as an integer from 0 to 2^64 - 1.
  std::uint64_t unsigned_integer(std::string_view what);

  /// Throws file_error if the line has more fields, except a comment: a field that begins with one of `comments`.
  /// `after` names the last field that belongs on the line.
  void finish(std::string_view after, std::string_view comments = {});

 private:
  /// The start of the next number: its first digit or its minus. Skips a plus, because from_chars does not accept one.
  const char* number_start() {
    skip_blanks();
    return end_ - at_ >= 2 && *at_ == '+' && at_[1] != '-' ? at_ + 1 : at_;
  }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  bool ends_at(const char* place) const { return place == end_ || is_blank(*place); }
  bool take_rounded(const char* start, const char* stop, std::errc status, double& value,
                    std::string_view& rounded);
  bool take_fortran_real(double& value, std::string_view& rounded);
  bool take_windows_real(double& value);
  std::string_view word_that_should_be(std::string_view what);
  [[noreturn]] void refuse_integer(std::string_view what, std::errc status, std::int64_t min,
                                   std::int64_t max);
  [[noreturn]] void refuse_real(std::string_view what, std::errc status);

  const line_place& place_;
  const char* at_;
  const char* end_;
};

} // namespace evenly::io
