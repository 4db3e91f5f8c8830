// SPDX-License-Identifier: Apache-2.0
// The noise of a run: the difference between two measurements of the same code.
#pragma once

#include <span>
#include <vector>

#include "measure/measure.hpp"

namespace evenly::measure {

/// Relative differences measured between equal programs, by source: 0.2 is 20%.
struct noise {
  double same_code = 0;      ///< between rows of the same code, not exceeded in 99 of 100 cases
  double copy = 0;           ///< between a copy before all rows and one after them
  double other_programs = 0; ///< delay of a computation on all threads by other programs

  /// Differences below this are not reported.
  double level() const;
};

/// The difference between the medians of two rows of the same code that 1 of 100 pairs exceeds (Student's t). `groups`:
/// the medians of rows, grouped by code. 0 if every group has one row.
double same_code_noise(std::span<const std::vector<double>> groups);

/// Whether `slower` is slower than `faster` beyond the noise: its median is larger by more than `level`, and the
/// interquartile ranges do not overlap. False if either has fewer rounds than min_rounds_to_compare.
bool differ(const timing& faster, const timing& slower, double level);

} // namespace evenly::measure
