// SPDX-License-Identifier: Apache-2.0
// Tiles of few atoms on the CPU, which are summed in groups: the same bits as one by one, for sizes around the limits
// of groups and tiles and for values of any kind; and what is asked of a map's gathers_from.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"

namespace evenly {
namespace {

template <class Offset> std::vector<Offset> offsets_of(const std::vector<int>& sizes, Offset first = 0) {
  std::vector<Offset> offsets{first};
  for (const int size : sizes) offsets.push_back(offsets.back() + size);
  return offsets;
}

std::vector<int> random_sizes(int tiles, int max, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> sizes(static_cast<std::size_t>(tiles));
  for (int& size : sizes) size = static_cast<int>(random() % static_cast<unsigned>(max + 1));
  return sizes;
}

/// Kinds of sizes: none, all at a limit, beyond it, mixed, a long one among short ones, groups that do not fill.
std::vector<std::vector<int>> kinds_of_sizes() {
  std::vector<std::vector<int>> kinds{
      std::vector<int>(200, 0), std::vector<int>(200, 1),  std::vector<int>(200, 4), std::vector<int>(200, 5),
      std::vector<int>(64, 4),  std::vector<int>(63, 2),   random_sizes(1000, 4, 1), random_sizes(1000, 8, 2),
      random_sizes(1000, 2, 3), random_sizes(20'000, 4, 4)};
  std::vector<int> rare(640, 1);
  for (std::size_t i = 0; i < rare.size(); i += 50) rare[i] = static_cast<int>(5 + i / 10);
  kinds.push_back(rare);
  std::vector<int> full(64, 3); // 64 times 4 atoms, in one group, of which the last tile has most
  full.back() += 64;
  kinds.push_back(full);
  return kinds;
}

template <class Value, class Schedule, class Offset, class Map, class Op>
std::vector<Value> sums(int threads, const Schedule& schedule, const std::vector<Offset>& offsets,
                        const Map& map, const Op& op) {
  std::vector<Value> result(offsets.size() - 1);
  std::vector<int> stored(result.size());
  const cpu exec(threads);
  auto plan = make_plan(exec, schedule, csr_tiles(std::span<const Offset>(offsets)));
  reduce_tiles(exec, plan, map, op, [out = result.data(), count = stored.data()](int t, const Value& sum) {
    out[t] = sum;
    ++count[t];
  });
  EXPECT_EQ(stored, std::vector<int>(result.size(), 1));
  return result;
}

/// Not commutative, larger than a word: x -> a x + b modulo 2^32.
struct affine {
  std::uint32_t a, b;
  bool operator==(const affine&) const = default;
};
struct then {
  using value_type = affine;
  EVENLY_FN affine identity() const { return {1, 0}; }
  EVENLY_FN affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
static_assert(monoid<then>);

TEST(ShortTiles, HaveTheBitsOfTilesOneByOne) {
  const auto map = [](int k) { return 1.0f / static_cast<float>(k % 1013 + 1) - 0.25f; };
  for (const auto& sizes : kinds_of_sizes()) {
    if (sizes.size() > 1000) continue; // several blocks, which may cut a tile
    const auto offsets = offsets_of(sizes, 3);
    const auto one_by_one = sums<float>(1, thread_mapped{}, offsets, map, plus<float>{});
    EXPECT_EQ(sums<float>(1, merge_path{}, offsets, map, plus<float>{}), one_by_one);
    EXPECT_EQ(sums<float>(1, nonzero_split{}, offsets, map, plus<float>{}), one_by_one);
  }
}

TEST(ShortTiles, HoldValuesOfAnyKind) {
  for (const auto& sizes : kinds_of_sizes()) {
    const auto offsets = offsets_of<std::int64_t>(sizes, 7);
    const auto number = [](std::int64_t k) { return static_cast<double>(k % 911); };
    const auto wide = [](std::int64_t k) { return (k + 1) * (std::int64_t{1} << 40); };
    const auto small = [](std::int64_t k) { return static_cast<unsigned char>(k); };
    const auto function = [](std::int64_t k) { return affine{static_cast<std::uint32_t>(2 * k + 1), 3}; };
    std::vector<double> doubles;
    std::vector<std::int64_t> integers;
    std::vector<unsigned char> bytes;
    std::vector<affine> functions;
    for (std::size_t t = 0; t + 1 < offsets.size(); ++t) {
      doubles.push_back(0);
      integers.push_back(std::numeric_limits<std::int64_t>::lowest());
      bytes.push_back(0);
      functions.push_back(then{}.identity());
      for (std::int64_t k = offsets[t]; k < offsets[t + 1]; ++k) {
        doubles.back() += number(k);
        integers.back() = std::max(integers.back(), wide(k));
        bytes.back() = static_cast<unsigned char>(bytes.back() + small(k));
        functions.back() = then{}(functions.back(), function(k));
      }
    }
    for (const int threads : {1, 2}) {
      EXPECT_EQ(sums<double>(threads, merge_path{}, offsets, number, plus<double>{}), doubles);
      EXPECT_EQ(sums<std::int64_t>(threads, merge_path{}, offsets, wide, maximum<std::int64_t>{}), integers);
      EXPECT_EQ(sums<unsigned char>(threads, merge_path{}, offsets, small, plus<unsigned char>{}), bytes);
      EXPECT_EQ(sums<affine>(threads, merge_path{}, offsets, function, then{}), functions);
    }
  }
}

/// A map that wants the tile gets the right one, also of a tile that is cut, by threads and behind many short ones.
TEST(ShortTiles, TellMapsTheirTiles) {
  for (auto sizes : kinds_of_sizes()) {
    sizes.push_back(30'000); // cut by every schedule that cuts
    const auto offsets = offsets_of<int>(sizes, 5);
    const auto map = [offsets = offsets.data()](int t, int k) {
      return std::int64_t{t} * 7919 + (k >= offsets[t] && k < offsets[t + 1] ? 1 : 1'000'000'000);
    };
    std::vector<std::int64_t> expected;
    for (std::size_t t = 0; t < sizes.size(); ++t)
      expected.push_back((static_cast<std::int64_t>(t) * 7919 + 1) * sizes[t]);
    for (const int threads : {1, 2, 7}) {
      EXPECT_EQ(sums<std::int64_t>(threads, merge_path{}, offsets, map, plus<std::int64_t>{}), expected);
      EXPECT_EQ(sums<std::int64_t>(threads, nonzero_split{}, offsets, map, plus<std::int64_t>{}), expected);
    }
  }
}

/// Values behind the end of the last tile do not get into a sum.
TEST(ShortTiles, KeepNaNAndInfinityWhereTheyAre) {
  const auto offsets = offsets_of<int>(random_sizes(640, 3, 5));
  const auto map = [](int k) {
    return k % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : k % 3 == 1 ? -0.0f : 1.0f;
  };
  const auto found = sums<float>(1, merge_path{}, offsets, map, plus<float>{});
  for (std::size_t t = 0; t < found.size(); ++t) {
    bool nan = false;
    float sum = 0;
    for (int k = offsets[t]; k < offsets[t + 1]; ++k) {
      nan = nan || k % 3 == 0;
      sum += k % 3 == 2 ? 1.0f : 0.0f;
    }
    EXPECT_EQ(std::isnan(found[t]), nan) << t;
    if (!nan) {
      EXPECT_EQ(found[t], sum) << t;
    }
  }
}

struct watched {
  std::int64_t* asked; ///< for each atom
  int begin;
  int end;
  bool* outside;
  std::uintptr_t step; ///< from what an atom gathers to what the next one does
  int operator()(int k) const { return k; }
  const void* gathers_from(int k) const {
    if (k < begin || k >= end)
      *outside = true;
    else
      ++asked[k - begin];
    return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(k) * step); // prefetched, never read
  }
};

TEST(ShortTiles, AskWhereTheirAtomsGather) {
  for (const auto& sizes : kinds_of_sizes()) {
    const auto offsets = offsets_of<int>(sizes, 11);
    std::vector<std::int64_t> asked(static_cast<std::size_t>(offsets.back() - offsets.front()) + 1);
    bool outside = false;
    const watched map{asked.data(), offsets.front(), offsets.back(), &outside, 4096};
    const auto found = sums<int>(1, merge_path{}, offsets, map, plus<int>{});
    EXPECT_FALSE(outside);
    EXPECT_LE(*std::max_element(asked.begin(), asked.end()),
              3); // to prefetch, and twice to see whether tiles are even
    EXPECT_EQ(found, sums<int>(1, thread_mapped{}, offsets, map, plus<int>{}));
  }
  // Where there are many short tiles, most of them are prefetched, but not if all are alike and gather near each other.
  struct expectation {
    std::vector<int> sizes;
    std::uintptr_t step;
    int min, max;
  };
  for (const auto& [sizes, step, min, max] : {expectation{std::vector<int>(10'000, 2), 4096, 15'000, 20'000},
                                              expectation{std::vector<int>(10'000, 2), 4, 1, 5'000},
                                              expectation{random_sizes(10'000, 4, 6), 4, 15'000, 40'000}}) {
    const auto offsets = offsets_of<int>(sizes);
    std::vector<std::int64_t> asked(static_cast<std::size_t>(offsets.back()));
    bool outside = false;
    sums<int>(1, merge_path{}, offsets, watched{asked.data(), 0, offsets.back(), &outside, step},
              plus<int>{});
    const auto some = std::count_if(asked.begin(), asked.end(), [](std::int64_t n) { return n > 0; });
    EXPECT_GE(some, min);
    EXPECT_LE(some, max);
  }
}

/// Groups with even sizes, next to uneven ones with as many atoms in sum.
TEST(ShortTiles, MayBeEvenInPart) {
  std::vector<int> sizes;
  for (int group = 0; group < 40; ++group)
    for (int i = 0; i < 64; ++i)
      sizes.push_back(group % 3 == 0 ? 4 : group % 3 == 1 ? i / 8 % 2 * 8 : (i + group) % 4);
  const auto offsets = offsets_of(sizes, 3);
  const auto map = [](int k) { return 1.0f / static_cast<float>(k % 1013 + 1) - 0.25f; };
  const auto one_by_one = sums<float>(1, thread_mapped{}, offsets, map, plus<float>{});
  EXPECT_EQ(sums<float>(1, merge_path{}, offsets, map, plus<float>{}), one_by_one);
}

} // namespace
} // namespace evenly
