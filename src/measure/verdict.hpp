// SPDX-License-Identifier: Apache-2.0
// What the times of a comparison mean: only differences beyond the noise of the run (noise.hpp) are reported, so that
// two runs do not contradict each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "measure/comparison.hpp"
#include "measure/noise.hpp"

namespace evenly::measure {

/// The noise of the run: from rows that run the same code, among them `automatic` and the schedule that it chose, from
/// the copies before and after, and from the delay by other programs.
noise noise_of(const comparison& c);

/// Schedules that cut tiles in relation to those that keep them whole.
enum class cutting { unknown, faster, slower, within_noise };

struct judgement {
  noise within;
  /// Titles of rows: the one of the lowest median, then those that do not differ from it beyond the noise. Empty if
  /// there are fewer rounds than min_rounds_to_compare.
  std::vector<std::string> fastest;
  /// Names of all results in these rows.
  std::vector<std::string> names;
  cutting cut = cutting::unknown;
};
judgement judge(const comparison& c);

/// The noise, and how schedules that cut tiles compare with those that keep them whole and with plain loops; what in
/// the sizes of tiles explains it. Empty where there are not schedules of both kinds, or too few rounds.
std::string meaning(const comparison& c, const tile_statistics& s, std::span<const int> offsets);

/// The fastest row, its spread, the rows that do not differ from it, and meaning(). Empty where no schedule was timed.
std::string verdict(const comparison& c, const tile_statistics& s, std::span<const int> offsets);

/// An object of workload, op, executor, noise with its sources, fastest (names) and cutting.
json::value json_of_verdict(const comparison& c);

} // namespace evenly::measure
