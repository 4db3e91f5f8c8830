// SPDX-License-Identifier: Apache-2.0
// Interprets the times of a comparison. Only differences above the noise of the run (noise.hpp) are reported, so that
// two runs do not contradict each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "measure/comparison.hpp"
#include "measure/noise.hpp"

namespace evenly::measure {

/// The noise of the run: from rows that run the same code, including `automatic` and its choice, from the copies before
/// and after, and from the delay by other programs.
noise noise_of(const comparison& c);

/// Schedules that cut tiles compared with schedules that keep them whole.
enum class cutting { unknown, faster, slower, within_noise };

struct judgement {
  noise within;
  /// Titles of rows: the fastest, then those that differ from it by no more than the noise. Empty below
  /// min_rounds_to_compare rounds.
  std::vector<std::string> fastest;
  /// Names of all results in these rows.
  std::vector<std::string> names;
  cutting cut = cutting::unknown;
};
judgement judge(const comparison& c);

/// Sentences on the noise, and on schedules that cut tiles compared with schedules that keep them whole and with plain
/// loops, with the tile sizes as explanation. Empty without schedules of both kinds, or with too few rounds.
std::string meaning(const comparison& c, const tile_statistics& s, std::span<const int> offsets);

/// The fastest row, its spread, the rows within the noise of it, and meaning(). Empty if no schedule was timed.
std::string verdict(const comparison& c, const tile_statistics& s, std::span<const int> offsets);

/// An object with workload, op, executor, noise with its sources, fastest (names) and cutting.
json::value json_of_verdict(const comparison& c);

} // namespace evenly::measure
