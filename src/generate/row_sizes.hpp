// SPDX-License-Identifier: Apache-2.0
// Row sizes with given statistics, computed instead of sampled.
//
// The sample deviation of a heavy-tailed distribution differs from the requested one by far more than 2%. Therefore
// each size gets its rounded share of the rows, and only the order of the rows is random.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace evenly::generate {

/// Sizes with rows * weight / sum of weights rows each, rounded so that the sum is `rows`. `weights`: pairs of a size
/// and its weight. Not shuffled.
std::vector<int> weighted_sizes(std::int64_t rows, const std::vector<std::pair<int, int>>& weights);

/// A lognormal distribution: mean and deviation of the logarithm, in units of 2^-20.
struct lognormal {
  std::int64_t mean = 0;
  std::int64_t deviation = 0;
};

/// Statistics of a clipped lognormal workload, over all its rows.
struct size_figures {
  std::int64_t rows = 0;
  double average = 0;
  double deviation = 0;
  int longest = 0;        ///< exactly one row has this size
  int min = 0;            ///< 0 or 1: the smallest size, apart from `empty`
  std::int64_t empty = 0; ///< empty rows in addition to those of the distribution
};

/// The distribution with these statistics of sizes. Nothing if no distribution is within 1% of the average and the
/// deviation.
std::optional<lognormal> calibrate(const size_figures& figures);

/// One row of size `longest`, `empty` empty rows, and the others by quantiles of the distribution, rounded and clipped
/// to [least, longest - 1]. Sizes above 1024 are uniform within steps of 1/256. average and deviation are ignored. Not
/// shuffled.
std::vector<int> lognormal_sizes(const lognormal& shape, const size_figures& figures);

} // namespace evenly::generate
