// SPDX-License-Identifier: Apache-2.0
// Segments, prefix sums and sorts on ranks, with the same bits on any number of ranks.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "distributed/matrices.hpp"
#include "evenly/distributed/array.hpp"
#include "evenly/distributed/local_devices.hpp"
#include "evenly/distributed/primitives.hpp"
#include "evenly/execution/cpu.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

using distributed::local_devices;
using distributed::ranges;

TEST(SegmentsOnRanks, AreReducedWithTheSameBits) {
  for (const auto& [name, a] : hard_matrices()) {
    SCOPED_TRACE(name);
    std::vector<double> one;
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const auto world = local_devices(ranks, cpu(2));
      auto segments = world.distribute(csr_tiles(a.offsets),
                                       distributed::split_options{.block_size = 8, .blocks_per_group = 2});
      const auto values = world.distribute(a.values, segments.atoms());
      const std::vector<double> sums = segmented_reduce(segments, values, plus{}).gather();
      const std::vector<double> greatest = segmented_reduce(segments, values, maximum{}).gather();
      for (std::size_t s = 0; s < sums.size(); ++s) {
        double expected = maximum<double>{}.identity();
        for (auto k = static_cast<std::size_t>(a.offsets[s]); k < static_cast<std::size_t>(a.offsets[s + 1]);
             ++k)
          expected = std::max(expected, a.values[k]);
        ASSERT_EQ(greatest[s], expected) << s;
      }
      if (ranks == 1) one = sums;
      EXPECT_EQ(sums, one) << ranks;
    }
  }
  const auto world = local_devices(2, cpu(1));
  const std::vector<int> offsets{0, 2, 3};
  auto segments = world.distribute(csr_tiles(offsets));
  const auto values = world.distribute(std::vector<double>{1, 2});
  EXPECT_EQ(
      refusal_of([&] { segmented_reduce(segments, values, plus{}); }),
      "the array has 2 values, but not in the ranges of the segments' 3 values: distribute it with atoms()");
}

TEST(ScansOnRanks, HaveTheSameBits) {
  for (const int size : {0, 1, 4096, 4097, 30000, 100001}) {
    SCOPED_TRACE(size);
    const std::vector<double> x = uneven_vector(size);
    std::vector<double> inclusive, exclusive;
    for (const int ranks : {1, 2, 3, 4, 7}) {
      const auto array = local_devices(ranks, cpu(2)).distribute(x, ranges::equal(size, ranks, 4096));
      const std::vector<double> with = inclusive_scan(array, plus{}).gather();
      const std::vector<double> before = exclusive_scan(array, plus{}).gather();
      if (ranks == 1) {
        inclusive = with;
        exclusive = before;
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          ASSERT_NEAR(before[i], sum, 1e-6);
          ASSERT_NEAR(with[i], sum += x[i], 1e-6);
        }
      }
      EXPECT_EQ(with, inclusive) << ranks;
      EXPECT_EQ(before, exclusive) << ranks;
    }
  }
  const auto odd = local_devices(2, cpu(1)).distribute(uneven_vector(10000));
  EXPECT_EQ(refusal_of([&] { inclusive_scan(odd, plus{}); }),
            "rank 1 begins at element 5000: ranges for a scan begin at multiples of 4096, as those of "
            "ranges::equal(size, ranks, 4096) do");
}

TEST(SortsOnRanks, KeepRangesAndKeys) {
  std::mt19937 random(7);
  for (const int size : {0, 5, 3000})
    for (const int distinct : {1, 2, 1000000}) {
      std::vector<int> keys;
      for (int i = 0; i < size; ++i)
        keys.push_back(static_cast<int>(random() % static_cast<unsigned>(distinct)) - distinct / 2);
      std::vector<int> sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      for (const int ranks : {1, 2, 3, 4, 7}) {
        auto array = local_devices(ranks, cpu(1), {.seed = 3}).distribute(keys);
        const ranges where = array.where();
        sort(array);
        EXPECT_EQ(array.gather(), sorted) << size << ", " << distinct << " on " << ranks;
        EXPECT_EQ(array.where(), where);
      }
      auto uneven = local_devices(3, cpu(1)).distribute(keys, ranges({0, 0, size / 7, size}));
      sort(uneven);
      EXPECT_EQ(uneven.gather(), sorted);
    }
}

} // namespace
} // namespace evenly
