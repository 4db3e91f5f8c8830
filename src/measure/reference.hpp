// SPDX-License-Identifier: Apache-2.0
// What a result must be: a straight loop in double precision, slow and obviously right.
//
// A floating-point result is held to a bound for its row, not to a fixed tolerance: with n terms it may be
// off by 4 n eps sum|terms|, or, as rounding errors of long sums mostly cancel, 4 sqrt(n) eps sum|terms|
// where n > 256; eps is that of the type the result was computed in. Tile numbers must be exact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/problem.hpp"

namespace evenly::measure {

class reference {
 public:
  /// `p` must outlive this.
  explicit reference(const problem& p);

  /// What is wrong with the first element of `result` that is wrong, in one line; nothing if all are right.
  std::optional<std::string> first_error(const output& result) const;

 private:
  std::optional<std::string> first_error(const std::vector<int>& tile_of) const;
  template <class Value> std::optional<std::string> first_error(const std::vector<Value>& y) const;

  const problem& problem_;
  std::vector<double> y_;
  std::vector<double> bound_; ///< not finite: any result is right, since the sum may overflow
};

} // namespace evenly::measure
