// SPDX-License-Identifier: Apache-2.0
// for_each_range on the host: kernels of one's own in one call, against loops.

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/kernels/own_kernel.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/uniform.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

template <class Offset> std::vector<Offset> offsets_of(int tiles, Offset first) {
  std::vector<Offset> offsets{first};
  for (int t = 0; t < tiles; ++t) offsets.push_back(offsets.back() + (t % 7 == 6 ? 1500 : t % 3));
  return offsets;
}

/// Sums of the atoms' numbers, which a float holds exactly or not: bits are compared.
template <class Offset> std::vector<double> by_loop(const std::vector<Offset>& offsets) {
  std::vector<double> sums;
  for (std::size_t t = 0; t + 1 < offsets.size(); ++t) {
    double sum = 0;
    for (Offset k = offsets[t]; k < offsets[t + 1]; ++k) sum += static_cast<double>(k);
    sums.push_back(sum);
  }
  return sums;
}

/// As a program on cuda writes it.
struct sum_of_numbers {
  template <class Range> EVENLY_FN void operator()(Range& range) const {
    for (const auto tile : range.tiles()) {
      double sum = 0;
      for (const auto k : range.atoms(tile)) sum += static_cast<double>(k);
      range.combine(tile, sum);
    }
  }
};

template <class Offset, class Env>
std::vector<double> summed(const std::vector<Offset>& offsets, const Env& env) {
  std::vector<double> sums(offsets.size() - 1, std::nan(""));
  double* const out = sums.data();
  for_each_range(
      csr_tiles(offsets), sum_of_numbers{}, plus<double>{}, [=](int tile, double sum) { out[tile] = sum; },
      env);
  return sums;
}

TEST(KernelsOfOnesOwn, CombineWhatRangesHaveOfATile) {
  for (const int tiles : {0, 1, 2, 400}) {
    const auto offsets = offsets_of(tiles, 0), later = offsets_of(tiles, 5);
    const auto wide = offsets_of(tiles, std::int64_t{1} << 40);
    EXPECT_EQ(summed(offsets, environment<>{}), by_loop(offsets)) << tiles;
    EXPECT_EQ(summed(later, on(cpu(2)).with(merge_path{})), by_loop(later)) << tiles;
    EXPECT_EQ(summed(later, on(simt({.seed = 2})).with(merge_path{})), by_loop(later)) << tiles;
    EXPECT_EQ(summed(wide, on(cpu(2)).with(merge_path{})), by_loop(wide)) << tiles;
  }
}

TEST(KernelsOfOnesOwn, TakeTheTypeOfAMonoidFromStore) {
  const auto offsets = offsets_of(100, 0);
  std::vector<double> sums(100);
  for_each_range(csr_tiles(offsets), sum_of_numbers{}, plus{},
                 [&](int tile, const double& sum) { sums[static_cast<std::size_t>(tile)] = sum; });
  EXPECT_EQ(sums, by_loop(offsets));
}

TEST(KernelsOfOnesOwn, AreGenericLambdas) {
  const auto offsets = offsets_of(100, 0);
  std::vector<double> sums(100);
  for_each_range(
      csr_tiles(offsets),
      [](auto& range) {
        for (auto tile : range.tiles()) {
          double sum = 0;
          for (auto k : range.atoms(tile)) sum += k;
          range.combine(tile, sum);
        }
      },
      plus<double>{}, [&](int tile, double sum) { sums[static_cast<std::size_t>(tile)] = sum; },
      with(merge_path{}));
  EXPECT_EQ(sums, by_loop(offsets));
}

TEST(KernelsOfOnesOwn, VisitEachAtomOnce) {
  const auto tiles = uniform_tiles(1000, 7);
  std::vector<int> visits(7000), of_tile(7000, -1);
  const auto visit = [&](auto& range) {
    for (auto tile : range.tiles())
      for (auto k : range.atoms(tile)) {
        ++visits[static_cast<std::size_t>(k)];
        of_tile[static_cast<std::size_t>(k)] = tile.number;
      }
  };
  for_each_range(tiles, visit);
  for_each_range(tiles, visit, on(simt()).with(merge_path{}));
  EXPECT_EQ(visits, std::vector<int>(7000, 2));
  for (int k = 0; k < 7000; ++k) EXPECT_EQ(of_tile[static_cast<std::size_t>(k)], k / 7);
}

TEST(KernelsOfOnesOwn, RunUnderAPlanOfTheirTiles) {
  const auto offsets = offsets_of(50, 0), others = offsets_of(50, 0);
  auto plan = make_plan(csr_tiles(offsets), merge_path{});
  for (int round = 0; round < 2; ++round) EXPECT_EQ(summed(offsets, with(plan)), by_loop(offsets));
  EXPECT_EQ(message_of<invalid_argument>([&] { summed(others, with(plan)); }),
            "the plan is for other offsets: a plan supports only the array of offsets that it was made for");
}

TEST(KernelsOfOnesOwn, RefuseTilesThatBreakTheLaws) {
  EXPECT_EQ(message_of<invalid_argument>([&] { summed(std::vector<int>{0, 3, 1}, with(merge_path{})); }),
            "offsets[2] = 1 is less than offsets[1] = 3: offsets must not decrease");
}

TEST(KernelsOfOnesOwn, RepeatTheirBits) {
  const auto offsets = offsets_of(60, 0);
  const auto run = [&] {
    std::vector<float> sums(60);
    float* const out = sums.data();
    for_each_range(
        csr_tiles(offsets),
        [](auto& range) {
          for (auto tile : range.tiles()) {
            float sum = 0;
            for (auto k : range.atoms(tile)) sum += 1 / static_cast<float>(k + 1);
            range.combine(tile, sum);
          }
        },
        plus<float>{}, [=](int tile, float sum) { out[tile] = sum; }, on(cpu(2)).with(merge_path{}));
    return sums;
  };
  const auto first = run();
  EXPECT_EQ(run(), first);
}

TEST(KernelsOfOnesOwn, RunForTwoThreadsAtATime) {
  const auto offsets = offsets_of(300, 0);
  std::vector<double> results[2];
  {
    std::vector<std::jthread> threads;
    for (auto& result : results)
      threads.emplace_back([&] { result = summed(offsets, on(cpu(2)).with(merge_path{})); });
  }
  for (const auto& result : results) EXPECT_EQ(result, by_loop(offsets));
}

} // namespace
} // namespace evenly
