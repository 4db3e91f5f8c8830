// SPDX-License-Identifier: Apache-2.0
#include "io/field_reader.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "host/errors.hpp"

namespace evenly::io {

std::string_view field_reader::word() {
  skip_blanks();
  const char* const start = at_;
  while (at_ != end_ && !is_blank(*at_)) ++at_;
  return {start, static_cast<std::size_t>(at_ - start)};
}

void field_reader::finish(std::string_view after, std::string_view comments) {
  const std::string_view extra = word();
  if (!extra.empty() && comments.find(extra.front()) == std::string_view::npos)
    place_.fail(fmt::format("{} after the {}, where the line must end", host::in_quotes(extra), after));
}

double field_reader::rounded_real(std::string_view what, std::string_view& rounded) {
  double value = 0;
  const char* const start = number_start();
  const auto [stop, status] = parse_real(start, end_, value);
  if (take_rounded(start, stop, status, value, rounded)) return value;
  if (take_fortran_real(value, rounded) || take_windows_real(value)) return value;
  refuse_real(what, status);
}

/// Accepts the number [start, stop), for which parse_real returned `status`. Returns false if it is not a number or not
/// the whole field.
bool field_reader::take_rounded(const char* start, const char* stop, std::errc status, double& value,
                                std::string_view& rounded) {
  if (!ends_at(stop) || status == std::errc::invalid_argument) return false;
  if (status == std::errc::result_out_of_range) {
    rounded = {start, static_cast<std::size_t>(stop - start)};
    value = rounded_beyond(start, stop);
  }
  at_ = stop;
  return true;
}

/// Parses a field whose exponent begins with d or D.
bool field_reader::take_fortran_real(double& value, std::string_view& rounded) {
  const char* const start = number_start();
  const char* const stop = std::find_if(start, end_, is_blank);
  std::string text(start, stop);
  const std::size_t letter = text.find_first_of("dD");
  if (letter == std::string::npos || text.find_first_of("eE") != std::string::npos) return false;
  text[letter] = 'e';
  const char* const last = text.data() + text.size();
  const auto [read, status] = parse_real(text.data(), last, value);
  if (read != last || status == std::errc::invalid_argument) return false;
  if (status == std::errc::result_out_of_range) {
    rounded = {start, text.size()};
    value = rounded_beyond(text.data(), last);
  }
  at_ = stop;
  return true;
}

bool field_reader::take_windows_real(double& value) {
  const char* const start = at_;
  std::string_view found = word();
  const bool negative = found.starts_with('-');
  if (negative || found.starts_with('+')) found.remove_prefix(1);
  if (found.starts_with("1.#INF")) {
    value = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    return true;
  }
  for (const std::string_view special : {"1.#IND", "1.#QNAN", "1.#SNAN"})
    if (found.starts_with(special)) {
      value = std::numeric_limits<double>::quiet_NaN();
      return true;
    }
  at_ = start;
  return false;
}

std::uint64_t field_reader::unsigned_integer(std::string_view what) {
  std::uint64_t value = 0;
  const char* const start = number_start();
  const auto [stop, status] = std::from_chars(start, end_, value);
  if (status == std::errc{} && ends_at(stop)) {
    at_ = stop;
    return value;
  }
  const std::string_view found = word_that_should_be(what);
  const std::size_t sign = found.starts_with('-') || found.starts_with('+') ? 1 : 0;
  if (found.size() == sign || found.find_first_not_of("0123456789", sign) != std::string_view::npos)
    place_.fail(fmt::format("{} is not an integer: the {} must be one", host::in_quotes(found), what));
  place_.fail(fmt::format("the {} is {}: it must be 0 to {}", what, host::in_quotes(found),
                          std::numeric_limits<std::uint64_t>::max()));
}

/// The next field, for an error about its content. Fails for a field that is missing or has NUL bytes.
std::string_view field_reader::word_that_should_be(std::string_view what) {
  const std::string_view found = word();
  if (found.empty()) place_.fail(fmt::format("the line ends where the {} should be", what));
  if (found.find('\0') != std::string_view::npos)
    place_.fail(
        fmt::format("{} with NUL bytes where the {} should be: {}", host::in_quotes(found), what, nul_rule));
  return found;
}

void field_reader::refuse_integer(std::string_view what, std::errc status, std::int64_t min,
                                  std::int64_t max) {
  const std::string_view found = word_that_should_be(what);
  const std::size_t sign = found.starts_with('-') || found.starts_with('+') ? 1 : 0;
  const bool numeric = status != std::errc::invalid_argument &&
                       found.find_first_not_of("0123456789", sign) == std::string_view::npos;
  if (!numeric)
    place_.fail(fmt::format("{} is not an integer: the {} must be one", host::in_quotes(found), what));
  place_.fail(fmt::format("the {} is {}: it must be {} to {}", what, host::in_quotes(found), min, max));
}

void field_reader::refuse_real(std::string_view what, std::errc status) {
  const std::string_view found = word_that_should_be(what);
  if (status == std::errc::result_out_of_range)
    place_.fail(fmt::format("the {} is {}, outside the range of a double", what, host::in_quotes(found)));
  place_.fail(fmt::format("{} is not a number: the {} must be one", host::in_quotes(found), what));
}

} // namespace evenly::io
