// SPDX-License-Identifier: Apache-2.0
#include "generate/row_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace evenly::generate {
namespace {

constexpr double unit = 0x1p-20; ///< unit of the members of lognormal

/// Sizes in (after, last]; the size of a row is uniform in this range.
struct bucket {
  int after;
  int last;
  double upper_log; ///< log of the largest real size that is rounded into the bucket
};

/// Buckets that cover [least, longest - 1]; the first one contains `min` and all smaller values.
std::vector<bucket> make_buckets(const size_figures& figures) {
  constexpr int exact_up_to = 1024;
  const int max = std::max(figures.longest - 1, figures.min);
  std::vector<bucket> buckets;
  for (int after = figures.min - 1; after < max;) {
    const int width = after < exact_up_to ? 1 : after / 256;
    const int last = width < max - after ? after + width : max;
    buckets.push_back({after, last, std::log(last + 0.5)});
    after = last;
  }
  return buckets;
}

/// Rows with sizes from the distribution: all except the additional empty rows and the longest row.
std::int64_t distributed_rows(const size_figures& figures) { return figures.rows - figures.empty - 1; }

/// Calls visit(bucket, rows in it) for each non-empty bucket. This is the only place where the rounding of a library
/// matters.
template <class Visit>
void for_each_range(const lognormal& shape, const std::vector<bucket>& buckets, std::int64_t rows,
                    Visit visit) {
  const double mean = static_cast<double>(shape.mean) * unit;
  const double scale = -1 / (static_cast<double>(shape.deviation) * unit * std::numbers::sqrt2);
  std::int64_t below = 0;
  for (const bucket& b : buckets) {
    if (below == rows) return;
    const double part = 0.5 * std::erfc((b.upper_log - mean) * scale);
    const std::int64_t up_to =
        &b == &buckets.back() ? rows
                              : std::max<std::int64_t>(below, std::llround(static_cast<double>(rows) * part));
    if (up_to > below) visit(b, up_to - below);
    below = up_to;
  }
}

struct moments {
  double average;
  double deviation;
};

moments measure(const lognormal& shape, const std::vector<bucket>& buckets, const size_figures& figures) {
  const double longest = figures.longest;
  double sum = longest;
  double squares = longest * longest;
  for_each_range(shape, buckets, distributed_rows(figures), [&](const bucket& b, std::int64_t rows) {
    const double width = b.last - b.after;
    const double middle = 0.5 * (static_cast<double>(b.after) + b.last + 1);
    sum += static_cast<double>(rows) * middle;
    squares += static_cast<double>(rows) * (middle * middle + (width * width - 1) / 12);
  });
  const auto rows = static_cast<double>(figures.rows);
  return {sum / rows, std::sqrt(std::max(0.0, squares / rows - sum / rows * (sum / rows)))};
}

/// The smallest x in (low, high] for which holds(x), if holds is monotonic; high if there is none.
template <class Predicate> std::int64_t bisect(std::int64_t low, std::int64_t high, const Predicate& holds) {
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

} // namespace

std::vector<int> weighted_sizes(std::int64_t rows, const std::vector<std::pair<int, int>>& weights) {
  std::int64_t total = 0;
  for (const auto& [size, weight] : weights) total += weight;
  std::vector<int> sizes;
  sizes.reserve(static_cast<std::size_t>(rows));
  std::int64_t up_to = 0;
  for (const auto& [size, weight] : weights) {
    up_to += weight;
    sizes.resize(static_cast<std::size_t>((rows * up_to + total / 2) / total), size);
  }
  return sizes;
}

std::optional<lognormal> calibrate(const size_figures& figures) {
  // For a fixed deviation of the logarithm, the average grows with the mean of the logarithm. Among distributions with
  // the right average, the deviation of sizes grows with that of the logarithm, up to the two-valued limit {least,
  // longest}.
  constexpr std::int64_t one = 1 << 20;
  if (distributed_rows(figures) < 0) return {};
  const std::vector<bucket> buckets = make_buckets(figures);
  const auto with_average = [&](std::int64_t deviation) {
    return lognormal{bisect(-256 * one, 32 * one,
                            [&](std::int64_t mean) {
                              return measure({mean, deviation}, buckets, figures).average >= figures.average;
                            }),
                     deviation};
  };
  const std::int64_t deviation = bisect(0, 32 * one, [&](std::int64_t tried) {
    return measure(with_average(tried), buckets, figures).deviation >= figures.deviation;
  });
  const lognormal shape = with_average(deviation);
  const moments got = measure(shape, buckets, figures);
  const bool close = std::abs(got.average - figures.average) <= 0.01 * figures.average &&
                     std::abs(got.deviation - figures.deviation) <= 0.01 * figures.deviation;
  return close ? std::optional(shape) : std::nullopt;
}

std::vector<int> lognormal_sizes(const lognormal& shape, const size_figures& figures) {
  std::vector<int> sizes(static_cast<std::size_t>(figures.empty), 0);
  sizes.reserve(static_cast<std::size_t>(figures.rows));
  for_each_range(shape, make_buckets(figures), distributed_rows(figures),
                 [&](const bucket& b, std::int64_t rows) {
                   const std::int64_t width = b.last - b.after;
                   for (std::int64_t j = 0; j < rows; ++j)
                     sizes.push_back(static_cast<int>(b.after + 1 + (2 * j + 1) * width / (2 * rows)));
                 });
  sizes.push_back(figures.longest);
  return sizes;
}

} // namespace evenly::generate
