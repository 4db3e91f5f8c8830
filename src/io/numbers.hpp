// SPDX-License-Identifier: Apache-2.0
// Real numbers as text, with the same rules for matrices, vectors, generators and the command line.
#pragma once

#include <algorithm>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>

namespace evenly::io {

/// Every integer of at most this magnitude is exact as a double.
inline constexpr std::uint64_t max_exact_integer = std::uint64_t{1} << 53;

/// Whether a double can represent `value` exactly.
template <std::integral Integer> bool is_exact_double(Integer value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = value < 0 ? ~bits + 1 : bits;
  return magnitude == 0 || magnitude >> std::countr_zero(magnitude) <= max_exact_integer;
}

/// std::from_chars, except that nonzero numbers which round to 0 are out of range: 1e-400 like 1e999, with every
/// standard library. Denormal numbers and `0e-999` are accepted.
inline std::from_chars_result parse_real(const char* first, const char* last, double& value) {
  double found = 0;
  std::from_chars_result read = std::from_chars(first, last, found);
  if (read.ec != std::errc{}) return read;
  if (found == 0) {
    const char* const digits_end = std::find_if(first, read.ptr, [](char c) { return c == 'e' || c == 'E'; });
    const bool is_zero = std::none_of(first, digits_end, [](char c) { return c >= '1' && c <= '9'; });
    if (!is_zero) return {read.ptr, std::errc::result_out_of_range};
  }
  value = found;
  return read;
}

/// The rounded value of a number that std::from_chars reports as out of range: infinity or zero, with its sign.
inline double rounded_beyond(const char* first, const char* last) {
  const bool negative = first != last && *first == '-';
  std::int64_t scale = 0; // the number is 0.d... * 10^scale with d != 0
  bool behind_point = false, in_digits = false;
  for (; first != last && *first != 'e' && *first != 'E'; ++first) {
    behind_point = behind_point || *first == '.';
    if (*first < '0' || *first > '9') continue;
    in_digits = in_digits || *first != '0';
    if (in_digits && !behind_point) ++scale;
    if (!in_digits && behind_point) --scale;
  }
  const char* exponent = first == last ? last : first + 1;
  if (exponent != last && *exponent == '+') ++exponent;
  std::int64_t shift = 0;
  if (std::from_chars(exponent, last, shift).ec == std::errc::result_out_of_range)
    shift = *exponent == '-' ? -(std::int64_t{1} << 62) : std::int64_t{1} << 62;
  const double value = scale + shift > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return negative ? -value : value;
}

/// Parses 1 to 18 digits at `at`, which another character follows. Returns false for fewer or more digits.
inline bool take_digits(const char*& at, std::uint64_t& value) {
  const char* const first = at;
  std::uint64_t read = 0;
  for (; static_cast<unsigned char>(*at - '0') < 10; ++at)
    read = 10 * read + static_cast<unsigned char>(*at - '0');
  value = read;
  return static_cast<std::size_t>(at - first) - 1 < 18;
}

/// The fast path of parse_real: parses a number at the front of [at, last), which another character follows. Returns
/// false if parse_real must decide. Most numbers in files have few digits. If m < 2^53 and |e| <= 22, a double holds
/// both m and 10^e, so m * 10^e is rounded once and correctly (Clinger, How to Read Floating Point Numbers Accurately,
/// 1990).
inline bool take_real(const char*& at, const char* last, double& value) {
  static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* const first = at;
  const char* p = at;
  const bool negative = *p == '-';
  if (negative || *p == '+') ++p;
  const char* const number = p;
  std::uint64_t digits = 0;
  for (; static_cast<unsigned char>(*p - '0') < 10; ++p)
    digits = 10 * digits + static_cast<unsigned char>(*p - '0');
  std::int64_t count = p - number, exponent = 0;
  if (*p == '.') {
    const char* const behind = ++p;
    for (; static_cast<unsigned char>(*p - '0') < 10; ++p)
      digits = 10 * digits + static_cast<unsigned char>(*p - '0');
    exponent = behind - p;
    count -= exponent;
  }
  if (count == 0) return false;
  if (*p == 'e' || *p == 'E') {
    ++p;
    const bool below = *p == '-';
    if (below || *p == '+') ++p;
    std::uint64_t shift = 0;
    if (!take_digits(p, shift)) return false;
    exponent += below ? -static_cast<std::int64_t>(shift) : static_cast<std::int64_t>(shift);
  }
  if (count > 19 || digits > std::uint64_t{1} << 53 || exponent < -22 || exponent > 22) {
    const char* const sign = *first == '+' ? first + 1 : first;
    const auto [stop, status] = parse_real(sign, last, value);
    if (status != std::errc{} || stop != p) return false;
    at = p;
    return true;
  }
  const auto whole = static_cast<double>(digits);
  const double found = exponent < 0 ? whole / powers[-exponent] : whole * powers[exponent];
  value = negative ? -found : found;
  at = p;
  return true;
}

} // namespace evenly::io
