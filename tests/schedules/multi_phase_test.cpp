// SPDX-License-Identifier: Apache-2.0
// multi_phase: the partition by both searches, the launch shapes, and other numbers of items and searches than the
// registry's. Runs of empty tiles that do not fit into storage, here and in the schedules that share the machinery.

#include "evenly/schedules/multi_phase.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/memory.hpp"
#include "evenly/schedules/block_search.hpp"
#include "evenly/schedules/chunks.hpp"
#include "evenly/schedules/direct_search.hpp"
#include "evenly/schedules/nonzero_split.hpp"
#include "evenly/schedules/two_phase.hpp"
#include "schedules/records.hpp"

namespace evenly {
namespace {

// --- the partition ---

/// interpolation_search over all keys of `values`, with a count of the reads.
void expect_interpolation_finds(const std::vector<std::int64_t>& values, int max_reads) {
  const int size = static_cast<int>(values.size());
  for (std::int64_t key = 0; key < values.back(); ++key) {
    int reads = 0;
    const int found = interpolation_search<int>(0, size, key, 0, [&](int i) {
      EXPECT_TRUE(i >= 0 && i < size) << i;
      ++reads;
      return values[i];
    });
    int want = 0;
    while (values[want] <= key) ++want;
    ASSERT_EQ(found, want) << "key " << key;
    ASSERT_LE(reads, max_reads) << "key " << key;
  }
}

TEST(InterpolationSearch, FindsAtOnceWhereValuesAreEven) {
  std::vector<std::int64_t> even;
  for (int i = 1; i <= 300; ++i) even.push_back(8 * i);
  expect_interpolation_finds(even, 3);
  expect_interpolation_finds({1}, 1);
  expect_interpolation_finds({0, 0, 0, 5}, 4);
}

TEST(InterpolationSearch, GoesOverToHalvingWhereTheyAreNot) {
  std::vector<std::int64_t> skewed(1000, 0); // the guesses creep from the one side
  for (int i = 500; i < 1000; ++i) skewed[i] = i - 499;
  skewed.back() = 5000;
  expect_interpolation_finds(skewed, 1 + 8 + 11);
  std::vector<std::int64_t> squares;
  for (int i = 0; i < 100; ++i) squares.push_back(i * i);
  expect_interpolation_finds(squares, 1 + 8 + 8);
}

TEST(InterpolationSearch, CountsUpToTheLimitsOfItsTypes) {
  constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max();
  const auto value = [](int i) { return static_cast<std::int64_t>(i) + 1; };
  for (const std::int64_t key : {std::int64_t{0}, max / 2, max - 2})
    EXPECT_EQ(interpolation_search<int>(0, static_cast<int>(max), key, 0, value), key);
}

template <class Executor>
std::vector<int> starts(const Executor& exec, const std::vector<int>& offsets, std::int64_t per_chunk,
                        search_kind kind) {
  const auto tiles = csr_tiles(offsets);
  const std::int64_t atoms = offsets.back() - offsets.front();
  const extent<csr_tile_set<int>> all{offsets.front(), atoms};
  const even_atoms<csr_tile_set<int>> distributed{tiles, all, per_chunk, ceil_div(atoms, per_chunk), 1, 0};
  return to_host(exec, find_chunk_starts(exec, distributed, kind));
}

TEST(Partition, IsTheSameByBothSearches) {
  const auto check = [](const auto& exec) {
    for (const laws::named_tiles& set : laws::adversarial_tile_sets(100)) {
      const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
      const auto binary = starts(exec, offsets, 100, search_kind::binary);
      EXPECT_EQ(starts(exec, offsets, 100, search_kind::interpolation), binary) << set.name;
      EXPECT_EQ(starts(exec, offsets, 100, search_kind::automatic), binary) << set.name;
      for (std::size_t c = 0; c < binary.size(); ++c) {
        const int a = smaller(offsets.front() + static_cast<int>(c) * 100, offsets.back() - 1);
        EXPECT_TRUE(offsets[binary[c]] <= a && a < offsets[binary[c] + 1]) << set.name << ", chunk " << c;
      }
    }
  };
  check(cpu(2));
  check(simt());
}

TEST(Partition, TakesTilesForAlikeByAverageAndDeviation) {
  const auto alike = [](const std::vector<int>& sizes) {
    std::vector<int> offsets{0};
    for (const int size : sizes) offsets.push_back(offsets.back() + size);
    double squares = 0;
    for (const double size : sizes) squares += size * size;
    const auto known = evenly::detail::inspect_for(multi_phase<>{}, simt(), csr_tiles(offsets));
    EXPECT_EQ(known.squares, sizes.empty() ? -1 : squares);
    return tiles_are_alike(std::ssize(sizes), known.all.atoms, known.squares);
  };
  EXPECT_TRUE(alike(std::vector<int>(1000, 8)));
  EXPECT_FALSE(alike(std::vector<int>(1000, 9))); // the average is not below 9
  EXPECT_FALSE(alike({}));
  std::vector<int> sizes(1000, 0);
  for (int i = 0; i < 500; ++i) sizes[i] = 15; // the deviation is the average
  EXPECT_FALSE(alike(sizes));
  for (int i = 0; i < 1000; ++i) sizes[i] = i % 2 == 0 ? 4 : 12; // half of it
  EXPECT_TRUE(alike(sizes));
  sizes[0] = 40; // deviation 4.1
  EXPECT_FALSE(alike(sizes));
  EXPECT_FALSE(tiles_are_alike(1000, 8000, -1)); // unknown
  const std::vector<int> one{0, 8};
  const auto unasked =
      evenly::detail::inspect_for(multi_phase<>{.search = search_kind::binary}, simt(), csr_tiles(one));
  EXPECT_LT(unasked.squares, 0);
}

// --- launches ---

TEST(MultiPhase, HasAsManyBlocksAsItsSupplySays) {
  std::vector<int> offsets{0, 3, 3, 1'000'000};
  const simt exec; // room for 2048 threads
  const auto blocks = [&](block_supply supply, int block_size) {
    const auto plan = make_plan(exec, multi_phase<4, 1>{block_size, supply}, csr_tiles(offsets));
    return plan.launch().shape.blocks;
  };
  EXPECT_EQ(blocks(block_supply::per_chunk, 128), 1954);
  EXPECT_EQ(blocks(block_supply::resident, 128), 16);
  EXPECT_EQ(blocks(block_supply::resident, 1024), 2);
  EXPECT_EQ(blocks(block_supply::several_per_resident, 128), 489); // 4 chunks each, as 512 blocks are too few
}

TEST(MultiPhase, KeepsTheLawsWithEveryNumberOfSearches) {
  expect_laws(multi_phase<7, 2>{}, "multi_phase<7, 2>");
  expect_laws(multi_phase<12, 5>{}, "multi_phase<12, 5>");
  expect_laws(multi_phase<3, 8>{}, "multi_phase<3, 8>");
}

TEST(MultiPhase, KeepsTheLawsWithBlocksThatGoOn) {
  for (const auto supply : {block_supply::resident, block_supply::several_per_resident})
    expect_laws(multi_phase<7, 2>{.supply = supply, .search = search_kind::interpolation},
                "multi_phase, resident");
  // Enough atoms for several chunks per resident block of any size.
  const laws::named_tiles set = laws::random_runs(9000, 9000, 3);
  const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
  for (const int block_size : {64, 1024}) {
    laws::findings found;
    laws::check_laws<laws::depth::basic>(simt(), multi_phase<7, 2>{block_size, block_supply::resident},
                                         csr_tiles(offsets), set.offsets, found);
    for (const laws::violation& each : found.all())
      ADD_FAILURE() << "law " << each.broken << ", blocks of " << block_size << ": " << each.what;
  }
}

// --- chunks that span more tiles than fit into storage ---

template <class Schedule> void expect_laws_in_deserts(Schedule schedule, const std::string& name) {
  const auto set = laws::tile_sizes()
                       .add(20'000, 0)
                       .add(3)
                       .add(9'000, 0)
                       .add(700)
                       .add(1)
                       .add(30'000, 0)
                       .add(40, 1)
                       .add(5'000, 0)
                       .named("deserts");
  const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
  for (const int block_size : {1, 33, 128}) {
    schedule.block_size = block_size;
    laws::findings found;
    laws::check_laws<laws::depth::basic>(simt(), schedule, csr_tiles(offsets), set.offsets, found);
    for (const laws::violation& each : found.all())
      ADD_FAILURE() << "law " << each.broken << " broken by " << name << ", blocks of " << block_size << ": "
                    << each.what;
  }
}

TEST(Deserts, AreCrossedByAllThatSearch) {
  expect_laws_in_deserts(direct_search<>{}, "direct_search");
  expect_laws_in_deserts(block_search<>{}, "block_search");
  expect_laws_in_deserts(two_phase<>{}, "two_phase");
  expect_laws_in_deserts(multi_phase<>{}, "multi_phase");
  expect_laws_in_deserts(multi_phase<7, 2>{.supply = block_supply::resident}, "multi_phase<7, 2>, resident");
  expect_laws_in_deserts(nonzero_split<>{}, "nonzero_split");
}

} // namespace
} // namespace evenly
