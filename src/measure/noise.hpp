// SPDX-License-Identifier: Apache-2.0
// How far two measurements of one run can lie apart without a difference behind them.
#pragma once

#include <span>
#include <vector>

#include "measure/measure.hpp"

namespace evenly::measure {

/// Relative differences that were measured where there is none, by their source: 0.2 is 20%.
struct noise {
  double same_code = 0;      ///< between two rows, in 99 of 100 cases: from rows that run the same code
  double copy = 0;           ///< between a copy before all rows and one after them
  double other_programs = 0; ///< by which other programs delay a computation on all threads

  /// Differences below this are not reported.
  double level() const;
};

/// The difference between the medians of two rows that is exceeded in 1 of 100 cases if both run the same code
/// (Student's t). `groups`: medians of rows, in each group of rows with the same code, which may be alone. 0 if no
/// group has two.
double same_code_noise(std::span<const std::vector<double>> groups);

/// Whether `slower` takes longer than `faster` beyond the noise: its median is larger by more than `level`, and the
/// middle halves of the rounds do not overlap. False where either has fewer rounds than min_rounds_to_compare.
bool differ(const timing& faster, const timing& slower, double level);

} // namespace evenly::measure
