// SPDX-License-Identifier: Apache-2.0
// Interprets the times of a comparison. Only differences above the noise of the run, the difference between two
// measurements of the same code, are reported, so that two runs do not contradict each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "json/value.hpp"
#include "measure/comparison.hpp"
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
