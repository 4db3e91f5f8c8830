// SPDX-License-Identifier: Apache-2.0
// The reference result, computed by a plain loop in double precision.
//
// A floating-point result has an error bound per row: with n terms it may differ by 4 n eps sum|terms|, or for n > 256
// by 4 sqrt(n) eps sum|terms|, because most rounding errors of long sums cancel. eps is that of the result's type. Tile
// numbers must be exact.
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

  /// A line about the first wrong element of `result`; nothing if all are correct.
  std::optional<std::string> first_error(const output& result) const;

 private:
  std::optional<std::string> first_error(const std::vector<int>& tile_of) const;
  template <class Value> std::optional<std::string> first_error(const std::vector<Value>& y) const;

  const problem& problem_;
  std::vector<double> y_;
  std::vector<double> bound_; ///< not finite: any result is accepted, because the sum may overflow
};

} // namespace evenly::measure
