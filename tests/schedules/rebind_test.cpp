// SPDX-License-Identifier: Apache-2.0
// Plans that are assumed valid and bound to other tiles, on the CPU and on the simulated GPU: planning_laws.hpp, and
// refusals.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "schedules/planning_laws.hpp"
#include "support/messages.hpp"
#include "support/on_device.hpp"

namespace evenly::laws {
namespace {

TEST(Rebinding, GivesOtherTilesToAPlanOnCpu) {
  for_each_kind_that_rebinds(128, [](const char* name, const auto& schedule) {
    expect_rebinding<cpu, int>(cpu(3), schedule, sets_to_bind(schedule), name);
  });
}

/// The sums of up to ten tiles.
std::vector<planned_value> sums_of(const cpu& exec, auto& plan) {
  std::vector<planned_value> sums(10, unwritten);
  reduce_tiles(exec, plan, planned_value_of<int>{}, affine_maps{}, keep_value<int>{sums.data(), 0});
  return sums;
}

/// A plan for ten tiles of up to 100 atoms, bound to what is given.
struct bound_plans : testing::Test {
  std::vector<int> offsets{0, 3, 3, 60};
  cpu exec{2};
  plan<cpu, nonzero_split<>, csr_tile_set<int>> ten =
      make_plan(exec, nonzero_split{}, csr_tiles(offsets), capacity{10, 100});

  std::string refusal(const std::vector<int>& other) {
    return message_of<invalid_argument>([&] { ten.rebind(csr_tiles(other)); });
  }
};

TEST_F(bound_plans, HaveRoomForAsMuchAsWasStated) {
  EXPECT_EQ(ten.max_size(), (capacity{10, 100}));
  const std::vector<int> full{5, 5, 5, 5, 5, 105, 105, 105, 105, 105, 105};
  ten.rebind(csr_tiles(full));
  EXPECT_EQ(ten.atoms(), 100);
  EXPECT_EQ(ten.first_atom(), 5);
  EXPECT_EQ(ten.tiles(), csr_tiles(full));
  EXPECT_EQ(sums_of(exec, ten)[4], expected_results({5, 5, 5, 5, 5, 105}, {5, 100}).sums[4]);
}

TEST_F(bound_plans, RefuseOneTileOrAtomMore) {
  EXPECT_EQ(
      refusal({0, 101}),
      "the plan has room for 100 atoms, but there are 101: make it with a larger capacity{tiles, atoms}");
  EXPECT_EQ(refusal(std::vector<int>(12, 4)),
            "the plan has room for 10 tiles, but there are 11: make it with a larger capacity{tiles, atoms}");
  EXPECT_EQ(ten.tiles(), csr_tiles(offsets)); // it still is for the tiles that it had
  EXPECT_EQ(sums_of(exec, ten)[2], expected_results({3, 60}, {1, 57}).sums[0]);
}

TEST_F(bound_plans, HaveRoomForTheTilesThatTheyAreMadeForWhateverIsStated) {
  const auto small = make_plan(exec, merge_path{}, csr_tiles(offsets), capacity{1, 1000});
  EXPECT_EQ(small.max_size(), (capacity{3, 1000}));
  EXPECT_EQ(make_plan(exec, merge_path{}, csr_tiles(offsets)).max_size(), (capacity{3, 60}));
}

TEST_F(bound_plans, NoticeTilesThatChangeWithoutRebinding) {
  offsets.back() = 70;
  const std::string words = message_of<invalid_argument>([&] { sums_of(exec, ten); });
  EXPECT_EQ(words, "the plan is for tiles with atoms [0, 60), but they are [0, 70) now: the arrays of a tile "
                   "set must not change");
  ten.rebind(ten.tiles());
  EXPECT_EQ(sums_of(exec, ten)[2], expected_results({3, 70}, {1, 67}).sums[0]);
}

TEST_F(bound_plans, AreBoundByNobodyElseMeanwhile) {
  const auto run = ten.start(exec);
  EXPECT_EQ(refusal(offsets),
            "the plan is in use by another call: it supports one call at a time, and no nested calls");
}

TEST(Rebinding, IsForExecutorsLikeTheFirst) {
  const std::vector<int> offsets{0, 3, 3, 60};
  auto plan = make_plan(on_device(2), merge_path{}, csr_tiles(offsets));
  EXPECT_EQ(message_of<invalid_argument>([&] { plan.rebind(on_device(0), csr_tiles(offsets)); }),
            "the plan is in the memory of device 2, but the executor uses that of device 0");
  plan.rebind(on_device(2), csr_tiles(offsets));
  EXPECT_EQ(plan.atoms(), 60);
}

TEST(Trusted, TilesSayTheirAtomsOrAreTold) {
  EXPECT_EQ(assume_valid(uniform_tiles(7, 6)).all->atoms, 42);
  EXPECT_FALSE(assume_valid(csr_tile_set<int>()).all);
  EXPECT_EQ(assume_valid(csr_tile_set<int>(), 9, 4).all->first_atom, 4);
  const auto refused = [](std::int64_t atoms, int first) {
    return message_of<invalid_argument>([&] { assume_valid(csr_tile_set<int>(), atoms, first); });
  };
  EXPECT_EQ(refused(-1, 0), "atoms = -1 from 0 on: must not be negative or end above 2147483647");
  EXPECT_EQ(refused(1, -2), "atoms = 1 from -2 on: must not be negative or end above 2147483647");
  EXPECT_EQ(refused(2147483647, 1),
            "atoms = 2147483647 from 1 on: must not be negative or end above 2147483647");
}

TEST(Trusted, TilesAreNotLookedAt) {
  // Offsets cannot be read: the pointer is null. Only the given numbers are used.
  const csr_tile_set<int> nowhere(nullptr, 3);
  const auto plan = make_plan(on_device(0), thread_mapped{}, assume_valid(nowhere, 60));
  EXPECT_EQ(plan.atoms(), 60);
  const std::vector<int> decreasing{0, 5, 3};
  EXPECT_EQ(make_plan(cpu(), thread_mapped{}, assume_valid(csr_tiles(decreasing))).atoms(), 3);
}

TEST(Trusted, TilesArePlannedAndRunInOneCall) {
  const std::vector<int> offsets{0, 2, 2, 4};
  const cpu exec(1);
  std::vector<planned_value> sums(3, unwritten);
  reduce_tiles(exec, merge_path{}, assume_valid(csr_tiles(offsets), 4), planned_value_of<int>{},
               affine_maps{}, keep_value<int>{sums.data(), 0});
  EXPECT_EQ(sums, expected_results({0, 2, 2, 4}, {3, 4}).sums);
}

/// Where the host sees it.
TEST(PlansOfSizesOnTheDevice, SayWhatTheHostSeesToBeWrong) {
  std::vector<int> offsets{0, 3, 3, 60, 61};
  int count = 3;
  const cpu exec(2);
  auto plan = make_plan(exec, merge_path{}, csr_tiles_on_device(offsets.data(), &count, {4, 60}));
  const auto words = [&] { return message_of<invalid_argument>([&] { sums_of(exec, plan); }); };
  count = 2;
  EXPECT_EQ(words(), "the plan is for 3 tiles, but there are 2 now: call rebind first");
  count = 4;
  plan.rebind(plan.tiles());
  EXPECT_EQ(words(),
            "the plan has room for 60 atoms, but there are 61: make it with a larger capacity{tiles, atoms}");
  count = 3;
  plan.rebind(plan.tiles());
  EXPECT_EQ(sums_of(exec, plan)[0], expected_results({0, 3}, {1, 3}).sums[0]);
}

TEST(Rebinding, GivesOtherTilesToAPlanOnSimt) {
  for_each_kind_that_rebinds(96, [](const char* name, const auto& schedule) {
    expect_rebinding<simt, int>(simt({.seed = 5}), schedule, sets_to_bind(schedule), name);
  });
}

} // namespace
} // namespace evenly::laws
