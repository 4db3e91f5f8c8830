// SPDX-License-Identifier: Apache-2.0
#include "measure/noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace evenly::measure {
namespace {

/// Lower bound of the noise: the placement in memory alone causes this difference between two runs of the program.
constexpr double min_level = 0.01;

/// The 99.5% quantile of Student's t, within 1% for 4 or more degrees of freedom; too large below.
double student_t(double degrees) { return 2.576 + 4.9 / degrees + 13 / (degrees * degrees); }

} // namespace

double noise::level() const { return std::max({min_level, same_code, copy, other_programs}); }

double same_code_noise(std::span<const std::vector<double>> groups) {
  double squares = 0;
  std::size_t degrees = 0;
  for (const std::vector<double>& medians : groups) {
    if (medians.empty()) continue;
    double mean = 0;
    for (const double each : medians) mean += std::log(each) / static_cast<double>(medians.size());
    for (const double each : medians) squares += (std::log(each) - mean) * (std::log(each) - mean);
    degrees += medians.size() - 1;
  }
  if (degrees == 0) return 0;
  const auto n = static_cast<double>(degrees);
  return std::expm1(student_t(n) * std::numbers::sqrt2 * std::sqrt(squares / n));
}

bool differ(const timing& faster, const timing& slower, double level) {
  const auto few = static_cast<std::size_t>(min_rounds_to_compare);
  if (faster.rounds.size() < few || slower.rounds.size() < few) return false;
  return slower.median > (1 + level) * faster.median && middle_of(slower).from > middle_of(faster).to;
}

} // namespace evenly::measure
