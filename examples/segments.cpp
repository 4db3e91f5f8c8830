// SPDX-License-Identifier: Apache-2.0
// Segments of an array: sums, greatest values, prefix sums, and the segment of each value.
#include <cstddef>
#include <cstdio>
#include <limits>
#include <vector>

#include "evenly/algorithms/segments.hpp"
#include "evenly/core/monoid.hpp"

int main() {
  const std::vector<int> offsets{0, 2, 2, 5}; // segments of 2, 0 and 3 values
  const std::vector<float> values{1, 2, 5, 4, 3};

  const auto sums = evenly::segmented_reduce(values, offsets);
  const auto greatest = evenly::segmented_reduce(values, offsets, evenly::maximum<float>{});
  const auto prefixes = evenly::segmented_inclusive_scan(values, offsets);
  const auto segments = evenly::expand(offsets);

  for (std::size_t s = 0; s < sums.size(); ++s) std::printf("%g %g\n", sums[s], greatest[s]);
  const float nothing = -std::numeric_limits<float>::infinity(); // the identity of maximum
  return sums == std::vector<float>{3, 0, 12} && greatest == std::vector<float>{2, nothing, 5} &&
                 prefixes == std::vector<float>{1, 3, 5, 9, 12} && segments == std::vector<int>{0, 0, 2, 2, 2}
             ? 0
             : 1;
}
