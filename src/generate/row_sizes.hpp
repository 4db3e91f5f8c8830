// SPDX-License-Identifier: Apache-2.0
// Row sizes with given figures: not drawn, but dealt.
//
// A sample of a heavy-tailed distribution misses its own standard deviation by far more than 2%. So each size
// gets its share of the rows, rounded, and only the order of the rows is random.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace evenly::generate {

/// Sizes as rows * weight / sum of weights, rounded so that they add up to `rows`. `weights`: pairs of a size
/// and its weight. Unshuffled.
std::vector<int> weighted_sizes(std::int64_t rows, const std::vector<std::pair<int, int>>& weights);

/// A lognormal distribution: the logarithm's mean and deviation, in units of 2^-20.
struct lognormal {
  std::int64_t mean = 0;
  std::int64_t deviation = 0;
};

/// What a clipped lognormal workload should look like, all its rows counted.
struct size_figures {
  std::int64_t rows = 0;
  double average = 0;
  double deviation = 0;
  int longest = 0;        ///< exactly one row has it
  int min = 0;            ///< 0 or 1: smallest size besides `empty`
  std::int64_t empty = 0; ///< rows of size 0 besides the distribution's own
};

/// The distribution whose sizes, see below, have these figures. Nothing if none comes within 1% of the
/// average and the deviation.
std::optional<lognormal> calibrate(const size_figures& figures);

/// One row of `longest`, `empty` empty rows, the rest by quantiles of the distribution rounded and clipped to
/// [least, longest - 1]. Sizes above 1024 are even within steps of 1/256. average and deviation are not
/// looked at. Unshuffled.
std::vector<int> lognormal_sizes(const lognormal& shape, const size_figures& figures);

} // namespace evenly::generate
