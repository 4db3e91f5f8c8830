// SPDX-License-Identifier: Apache-2.0
// for_each_tile: its laws on the CPU; giants, sizes on the device, refusals; its laws on the simulated GPU,
// where races on storage and missed barriers are seen, under every schedule that keeps tiles whole.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/for_each_tile_laws.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "support/messages.hpp"
#include "support/sanitized.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

static_assert(takes_whole_tiles<cpu, binned> && takes_whole_tiles<simt, binned>);
static_assert(!takes_whole_tiles<cpu, merge_path<>> && !takes_whole_tiles<simt, block_search<>>);

TEST(ForEachTile, HoldsOnCpu) {
  for_each_kind_on<cpu>(if_it_keeps_tiles_whole<cpu>([](const std::string& name, const auto& schedule) {
    for (const int threads : {1, 3})
      for (const std::uint64_t seed : {1, 2})
        expect_tiles_of<as_note_tile>(cpu(threads), schedule, random_runs(200, 4096, seed), name);
  }));
}

/// Giants go to `shared`, by schedules that cut them; by others, and all other tiles, to a team.
template <class Executor> void expect_shared_giants(const Executor& exec, std::int64_t piece) {
  const named_tiles set =
      tile_sizes().add(20, 3).add(5 * piece).add(0).add(20, 3).add(2 * piece + 1).named("giants");
  EXPECT_TRUE(expect_tiles_of<note_tile_or_parts>(exec, binned{.block_size = 64}, set, "binned"));
  EXPECT_TRUE(
      expect_tiles_of<note_tile_or_parts>(exec, dynamic_group_per_tile{.block_size = 64}, set, "dynamic"));
  EXPECT_FALSE(expect_tiles_of<note_tile_or_parts>(exec, warp_mapped{.block_size = 64}, set, "warp_mapped"));
}
TEST(ForEachTile, SharesGiantsWithWhoHasAFormForThem) {
  expect_shared_giants(cpu(3), 10'000);
  expect_shared_giants(simt({.seed = 5}), 64 * 16);
  expect_tiles_of_all<note_tile_or_parts, std::int64_t>(simt({.seed = 6}), dynamic_group_per_tile{}, 32,
                                                        "dynamic");
}

/// As much as the largest tile of its bin needs, and blocks and groups that suit it.
TEST(ForEachTile, HasStorageForEachAtomUnderBinned) {
  tile_sizes all;
  for (int size = 0; size <= 1025; size += size < 70 ? 1 : 61) all.add(3, size);
  const named_tiles sizes = all.add(2000).add(4097).named("all sizes");
  expect_gathered(cpu(3), binned{}, sizes, "cpu");
  EXPECT_TRUE(expect_gathered(simt({.seed = 1}), binned{.block_size = 64}, sizes, "simt"));
  EXPECT_TRUE(expect_gathered(simt({.warp_size = 4, .seed = 2}), binned{.block_size = 32}, sizes, "simt"));
  expect_gathered(simt({.seed = 3}), binned{}, tile_sizes().named("no tiles"), "simt");
  // 9,000 atoms for a block of 1,000 threads or fewer, that have 72,000 bytes
  EXPECT_FALSE(expect_gathered(simt({.seed = 4}), binned{.block_size = 1024},
                               tile_sizes().add(9000).add(5, 1).add(2, 700).named("large blocks"), "simt"));
}

TEST(ForEachTile, HoldsBeyond32Bits) {
  named_tiles set = random_runs(100, 300, 6);
  for (std::int64_t& each : set.offsets) each += std::int64_t{1} << 33;
  expect_tiles_of<as_note_tile, std::int64_t>(cpu(2), binned{}, set, "binned");
  expect_tiles_of<as_note_tile, std::int64_t>(simt{}, cta_warp_scan{}, set, "cta_warp_scan");
}

TEST(ForEachTile, FindsSizesOnTheDevice) {
  expect_tiles_of_device_sizes(cpu(3), warp_mapped{}, "warp_mapped");
  expect_tiles_of_device_sizes(simt({.seed = 7}), thread_mapped{.block_size = 64}, "thread_mapped");
  expect_tiles_of_device_sizes(simt({.seed = 8}), cta_warp_scan{.block_size = 64}, "cta_warp_scan");
  expect_tiles_of_device_sizes(simt({.seed = 9}), group_mapped<32>{.block_size = 64}, "group_mapped<32>");
}

/// A function without storage, of no class of its own.
TEST(ForEachTile, NeedsNoStorage) {
  const std::vector<int> offsets{0, 2, 2, 5};
  std::vector<int> sizes(3);
  const auto note = [to = sizes.data()](const auto& team, int t, int begin, int end) {
    if (team.rank() == 0) to[t] = end - begin;
  };
  for_each_tile(simt{}, warp_mapped{}, csr_tiles(offsets), note);
  EXPECT_EQ(sizes, (std::vector{2, 0, 3}));
}

struct does_nothing {
  template <class Team, class... Storage>
  EVENLY_FN void operator()(const Team&, int, int, int, const Storage&...) const {}
};

TEST(ForEachTile, RefusesStorageThatIsNotThere) {
  const std::vector<int> offsets{0, 2, 2, 5};
  const auto refusal = [&](const auto& exec, const auto& schedule, const auto&... storages) {
    return message_of<invalid_argument>(
        [&] { for_each_tile(exec, schedule, csr_tiles(offsets), does_nothing{}, storages...); });
  };
  const auto floats = [](int elements, int per_thread = 0) {
    return team_storage<float>{.elements = elements, .per_thread = per_thread};
  };
  EXPECT_EQ(
      refusal(simt{}, thread_mapped{}, floats(1000)),
      "a block of 128 threads needs 512000 bytes of storage, but the device has 232448: use smaller blocks");
  EXPECT_EQ(
      refusal(simt{}, block_mapped{}, floats(0, 1000), floats(4)),
      "a block of 128 threads needs 512016 bytes of storage, but the device has 232448: use smaller blocks");
  EXPECT_EQ(refusal(simt{}, warp_mapped{}, floats(2'000'000'000)),
            "a block of 128 threads needs 32000000000 bytes of storage, but the device has 232448: use "
            "smaller blocks");
  EXPECT_TRUE(
      contains(refusal(cpu(1), warp_mapped{}, floats(2'000'000'000)), "but the device has 1073741824"));
  EXPECT_EQ(refusal(cpu(1), warp_mapped{}, floats(2), floats(3, -1)),
            "a team's storage of 3 elements, -1 for each thread and 0 for each atom: none may be negative");
  EXPECT_EQ(refusal(cpu(1), warp_mapped{}, floats(-5)),
            "a team's storage of -5 elements, 0 for each thread and 0 for each atom: none may be negative");
}

TEST(ForEachTile, RefusesStorageForAtomsWhereSizesAreNotKnown) {
  const std::vector<int> offsets{0, 2, 2, 100'002};
  const auto refusal = [&](const auto& exec, const auto& schedule) {
    return message_of<invalid_argument>([&] {
      for_each_tile(exec, schedule, csr_tiles(offsets), does_nothing{}, team_storage<double>{.per_atom = 3});
    });
  };
  EXPECT_EQ(refusal(cpu(1), warp_mapped{}),
            "storage per atom of a tile needs a schedule with separate launches by tile size");
  EXPECT_TRUE(contains(refusal(simt{}, binned{.block_size = 1024}), "bytes of storage, but the device has"));
}

/// What a body throws reaches the caller, and the plan can be used again.
TEST(ForEachTile, RethrowsWhatABodyThrows) {
  const named_tiles set = random_runs(100, 4096, 3);
  const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
  auto plan = make_plan(cpu(3), binned{}, csr_tiles(offsets));
  const auto broken = [](const auto&, int t, int, int) {
    if (t == 70) throw error("tile 70");
  };
  EXPECT_EQ(message_of<error>([&] { for_each_tile(cpu(3), plan, broken); }), "tile 70");
  expect_tiles_once<as_note_tile>(cpu(3), plan, set.offsets, "after an exception");
}

struct shape_and_seed {
  int block_size;
  int warp_size;
  std::uint64_t seed;
};
constexpr shape_and_seed shapes[] = {{64, 32, 1}, {100, 32, 2}, {24, 4, 3}, {1, 32, 0}, {128, 64, 4}};

TEST(ForEachTileOnSimt, HoldsUnderEveryScheduleThatKeepsTilesWhole) {
  std::size_t turn = 0; // one of the shapes for each
  const auto expect_all = [&](const std::string& name, const auto& schedule) {
    const auto [block_size, warp_size, seed] = shapes[turn++ % std::size(shapes)];
    if (sanitized && block_size > 64) return;
    expect_tiles_of_all<as_note_tile>(simt({.warp_size = warp_size, .seed = seed}), schedule, block_size,
                                      name + ", warps of " + std::to_string(warp_size));
  };
  for_each_schedule_on<simt>(if_it_keeps_tiles_whole<simt>(expect_all));
  for_each_form_on<simt>(if_it_keeps_tiles_whole<simt>(expect_all));
  for_each_other_team(expect_all);
  for_each_other_team(expect_all);
}

} // namespace
} // namespace evenly::laws
