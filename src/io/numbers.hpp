// SPDX-License-Identifier: Apache-2.0
// Real numbers as text, the same wherever they are read: in matrices, in vectors, in generators, on the command line.
#pragma once

#include <algorithm>
#include <charconv>
#include <system_error>

namespace evenly::io {

/// std::from_chars, but for numbers that are not 0 and would become it: 1e-400 is out of range as 1e999 is, whatever
/// the standard library thinks. Denormal numbers and `0e-999` are numbers.
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

} // namespace evenly::io
