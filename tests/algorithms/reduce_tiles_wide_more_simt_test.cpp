// SPDX-License-Identifier: Apache-2.0
// reduce_tiles_wide on the simulated GPU: values of other sizes, many blocks, sizes on the device, too much storage.
// A file of its own for compile time's sake.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/reduce_wide_laws.hpp"
#include "evenly/execution/simt.hpp"
#include "support/messages.hpp"

namespace evenly::laws {
namespace {

TEST(ReduceTilesWideOnSimt, HoldsForValuesOfAnySizeAndFunctionsOfTiles) {
  const auto expect_all = [](const std::string& name, const auto& schedule) {
    expect_rows_of_all<stretches, true>(simt({.seed = 5}), schedule, 64, 1, name);
  };
  expect_all("merge_path", merge_path{});
  expect_all("nonzero_split", nonzero_split{});
  expect_all("cta_warp_scan", cta_warp_scan{});
  expect_all("dynamic_group_per_tile", dynamic_group_per_tile{});
  expect_rows_of_all<matrices, false>(simt({.seed = 6}), merge_path{}, 96, 2, "merge_path");
  expect_rows_of_all<affine_maps, false, std::int64_t>(simt({.seed = 7}), merge_path{}, 40, 3, "merge_path");
  expect_rows_of_all<affine_maps, true, std::int64_t>(simt({.seed = 8}), block_search{}, 40, 4,
                                                      "block_search");
}

/// Rows of tiles that end a few records on, and of giants, which blocks go through, once and several times around.
TEST(ReduceTilesWideOnSimt, HoldsWithManyBlocks) {
  const auto expect_all = [](const std::string& name, auto schedule) {
    schedule.block_size = 1;
    int width = 1;
    for (const named_tiles& set : tile_sets_of_many_blocks(items_of_a_block(schedule)))
      expect_rows_of<short_maps, false, int>(simt{}, schedule, set, width++ % 6 + 1, name);
  };
  expect_all("merge_path", merge_path<2>{});
  expect_all("nonzero_split", nonzero_split<2>{});
  expect_all("dynamic_group_per_tile", dynamic_group_per_tile{});
}

TEST(ReduceTilesWideOnSimt, FindsSizesOnTheDevice) {
  const auto expect_all = [](const std::string& name, auto schedule, int width) {
    schedule.block_size = 64;
    auto sets = adversarial_tile_sets(items_of_a_block(schedule));
    sets.resize(12);
    expect_rows_of_device_sizes(simt({.seed = 9}), schedule, sets, width, name);
  };
  expect_all("merge_path", merge_path{}, 33);
  expect_all("nonzero_split", nonzero_split{}, 140);
  expect_all("cta_warp_scan", cta_warp_scan{}, 7);
  const std::vector many{tile_sizes().add(5000).add(3, 0).add(400, 1).named("giants over groups of blocks"),
                         tile_sizes().add(2).named("two atoms"),
                         tile_sizes().add(100, 7).named("a hundred tiles")};
  expect_rows_of_device_sizes(simt{}, nonzero_split<2>{.block_size = 1}, many, 5, "nonzero_split");
}

TEST(ReduceTilesWideOnSimt, HoldsForPacks) {
  std::size_t salt = 0;
  const auto expect_all = [&](const std::string& name, const auto& schedule) {
    expect_packed_rows_of_all(simt({.seed = 10 + salt}), schedule, 64, salt, name);
    expect_packed_rows_of_all(simt({.warp_size = 4, .seed = 20 + salt}), schedule, 20, salt + 1, name);
    ++salt;
  };
  expect_all("merge_path", merge_path{});
  expect_all("merge_path, more items than are staged", merge_path<17>{});
  expect_all("nonzero_split", nonzero_split{});
  expect_all("thread_mapped", thread_mapped{});
  expect_all("cta_warp_scan", cta_warp_scan{});
}

struct alignas(16) four_kilobytes {
  std::uint64_t words[512];
};
struct large_or {
  using value_type = four_kilobytes;
  EVENLY_FN value_type identity() const { return {}; }
  EVENLY_FN value_type operator()(const value_type& a, const value_type& b) const {
    value_type both;
    for (int i = 0; i < 512; ++i) both.words[i] = a.words[i] | b.words[i];
    return both;
  }
};

TEST(ReduceTilesWideOnSimt, RefusesMoreStorageThanThereIs) {
  const std::vector<int> offsets{0, 3};
  const std::string message = message_of<invalid_argument>([&] {
    reduce_tiles_wide(
        simt{}, merge_path{}, csr_tiles(offsets), 2, [](int, int) { return four_kilobytes{}; }, large_or{},
        [](int, int, const four_kilobytes&) {});
  });
  EXPECT_TRUE(contains(message, "a block of 128 threads needs ")) << message;
  EXPECT_TRUE(contains(message, " bytes of storage, but the device has 232448: use smaller blocks"))
      << message;
}

} // namespace
} // namespace evenly::laws
