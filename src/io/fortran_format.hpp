// SPDX-License-Identifier: Apache-2.0
// Fixed-width fields as Fortran's formats describe them: `(16I5)`, `(1P,4D20.12)`, `(4(1X,E20.12))`.
//
// A format gives the columns of each field of a line, so fields may touch. Numbers are read by the rules of Fortran's
// formatted input: a real number without a point has an implied point before its last `decimals` digits, and a number
// without an exponent is divided by 10^scale.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace evenly::io {

struct fortran_field {
  std::size_t begin; ///< 0-based column
  std::size_t width; ///< columns
  bool is_integer;   ///< I, not F, E, D or G
  int decimals;      ///< digits behind an implied point
  int scale;         ///< of P
};

/// The fields of a line; lines repeat until all numbers are read. Returns nothing if the text is not a format, for
/// descriptors other than I, F, E, ES, EN, D, G, X and P, and if the second line would have other fields than the
/// first.
std::optional<std::vector<fortran_field>> parse_fortran_format(std::string_view text);

/// Reads a real number: `1.5`, `1.5E+03`, `1.5D3`, `1.5-103`, `NaN`, `Infinity`. `text` has no blanks. For a number
/// beyond the range of a double, sets `value` to infinity or zero and returns std::errc::result_out_of_range.
/// Overwrites `scratch`.
std::errc read_fortran_real(std::string_view text, const fortran_field& field, std::string& scratch,
                            double& value);

} // namespace evenly::io
