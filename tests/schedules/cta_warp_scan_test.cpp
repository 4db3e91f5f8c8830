// SPDX-License-Identifier: Apache-2.0
// cta_warp_scan: which phase takes a tile, at the thresholds and where there are no groups for middle tiles; that the
// scan goes on where atoms outgrow the storage; and refusals.

#include "evenly/schedules/cta_warp_scan.hpp"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "schedules/records.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

enum class phase { block, group, scan };

phase phase_of(const atom_record& each) {
  if (each.kind == shared_by::batch) return phase::scan;
  return each.group == whole_block ? phase::block : phase::group;
}

/// All atoms of a tile of `size` atoms, at this place among tiles of one atom, are taken in the phase.
void expect_phase(phase wanted, const cta_warp_scan& schedule, int size, int place = 3, int warp_size = 32) {
  SCOPED_TRACE("a tile of " + std::to_string(size) + ", warps of " + std::to_string(warp_size));
  std::vector<int> sizes(200, 1);
  sizes[place] = size;
  const records seen = record(schedule, sizes, warp_size);
  expect_whole_batches(seen, schedule.block_size);
  for (const atom_record& each : seen.atoms)
    ASSERT_EQ(phase_of(each), each.tile == place ? wanted : phase::scan) << "tile " << each.tile;
}

TEST(CtaWarpScan, GivesTilesToTheTeamOfTheirSize) {
  for (const int block_size : {128, 96}) {
    const cta_warp_scan schedule{block_size};
    expect_phase(phase::scan, schedule, 31);
    expect_phase(phase::group, schedule, 32);
    expect_phase(phase::group, schedule, block_size - 1);
    expect_phase(phase::block, schedule, block_size);
    expect_phase(phase::block, schedule, 3000);
  }
}

TEST(CtaWarpScan, TakesOtherThresholds) {
  cta_warp_scan schedule;
  schedule.cta_threshold = 300;
  schedule.warp_threshold = 10;
  expect_phase(phase::scan, schedule, 9);
  expect_phase(phase::group, schedule, 10);
  expect_phase(phase::group, schedule, 299);
  expect_phase(phase::block, schedule, 300);
  schedule.cta_threshold = 5; // less than the other: no middle tiles are left
  expect_phase(phase::scan, schedule, 4);
  expect_phase(phase::block, schedule, 5);
  expect_phase(phase::block, schedule, 20);
}

TEST(CtaWarpScan, LeavesMiddleTilesToTheScanWhereThereIsNoGroup) {
  const cta_warp_scan schedule{100}; // three groups of 32, and threads 96 to 99
  expect_phase(phase::group, schedule, 60, 95);
  expect_phase(phase::scan, schedule, 60, 96);
  expect_phase(phase::scan, schedule, 60, 199);
  expect_phase(phase::block, schedule, 100, 96);
  expect_phase(phase::scan, schedule, 60, 3, 4); // warps of 4
  expect_phase(phase::block, schedule, 100, 3, 4);
  expect_phase(phase::group, schedule, 60, 40, 64); // the second group of a warp of 64
}

TEST(CtaWarpScan, GroupsTakeTheMiddleTilesOfTheirOwnThreads) {
  const cta_warp_scan schedule{128};
  const records seen = record(schedule, mixed_sizes(1000, 127, 3));
  std::map<int, int> group_atoms;
  for (const atom_record& each : seen.atoms) {
    ASSERT_EQ(each.block, each.tile / 128);
    if (phase_of(each) != phase::group) continue;
    ASSERT_EQ(each.thread / 32, each.tile % 128 / 32);
    ++group_atoms[each.tile];
  }
  EXPECT_GT(group_atoms.size(), 100u);
}

TEST(CtaWarpScan, GoesOnWhereAtomsOutgrowTheStorage) {
  const cta_warp_scan schedule{64};
  const int room = cta_warp_scan_mapping<csr_tile_set<int>>::atoms_per_thread;
  for (const int tiles : {1, 33, 64}) {
    const records seen = record(schedule, std::vector<int>(tiles, 31));
    expect_whole_batches(seen, 64);
    EXPECT_EQ(seen.atoms.back().turn, (31 * tiles - 1) / 64);
    EXPECT_EQ(seen.atoms.back().turn >= room, tiles == 64);
  }
}

TEST(CtaWarpScan, AssignsAlikeInEveryInterleaving) {
  const cta_warp_scan schedule{100};
  const auto sizes = mixed_sizes(500, 300, 9);
  const records once = record(schedule, sizes);
  expect_whole_batches(once, 100);
  for (const int seed : {1, 2, 3}) EXPECT_EQ(record(schedule, sizes, 32, seed).atoms, once.atoms);
}

TEST(CtaWarpScan, ListsBothThresholds) {
  std::map<std::string, int> listed;
  const auto list = [&](const cta_warp_scan& schedule) {
    schedule.parameters([&](const std::string& name, int value) { listed[name] = value; });
  };
  list({256});
  EXPECT_EQ(listed, (std::map<std::string, int>{
                        {"block_size", 256}, {"cta_threshold", 256}, {"warp_threshold", 32}}));
  list({64, 500, 20});
  EXPECT_EQ(listed,
            (std::map<std::string, int>{{"block_size", 64}, {"cta_threshold", 500}, {"warp_threshold", 20}}));
}

TEST(CtaWarpScan, RefusesThresholdsThatItCannotCount) {
  const std::vector<int> offsets = {0, 5};
  const auto refusal = [&](const cta_warp_scan& schedule) {
    return message_of<invalid_argument>([&] { make_plan(cpu(1), schedule, csr_tiles(offsets)); });
  };
  for (const int threshold : {-1, 2049})
    EXPECT_EQ(refusal({128, threshold}),
              "cta_threshold = " + std::to_string(threshold) +
                  ": must be from 1 to 2048 atoms, or 0 for the size of the block");
  EXPECT_EQ(refusal({128, 128, 0}), "warp_threshold = 0: must be at least 1 atom");
}

TEST(CtaWarpScan, CountsTheLargestBlocks) {
  // 1024 tiles that are large, or just not: the most that one number holds.
  cta_warp_scan schedule{1024, 2048, 4000};
  for (const int size : {2047, 2048}) {
    const records seen = record(schedule, std::vector<int>(1024, size), 64);
    expect_whole_batches(seen, 1024);
    for (const atom_record& each : seen.atoms)
      ASSERT_EQ(phase_of(each), size == 2048 ? phase::block : phase::scan);
  }
}

TEST(CtaWarpScan, KeepsTheLaws) {
  expect_laws(cta_warp_scan{}, "cta_warp_scan");
  expect_laws(cta_warp_scan{128, 50, 5}, "cta_warp_scan with thresholds of 50 and 5");
  expect_laws(cta_warp_scan{128, 2048, 2048}, "cta_warp_scan with the scan only");
}

} // namespace
} // namespace evenly
