// SPDX-License-Identifier: Apache-2.0
// The laws of split, and of the costs that are computed without ranks.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "distributed/matrices.hpp"
#include "evenly/distributed/split.hpp"
#include "evenly/work/csr.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

using distributed::split_options;
using distributed::split_plan;

constexpr split_options split_of_96{.block_size = 8, .blocks_per_group = 2}; // groups of 192 steps

TEST(Split, GivesEachAtomToOnePartAndEachTileToThePartOfItsEnd) {
  for (const auto& [name, a] : hard_matrices())
    for (const int parts : {1, 2, 3, 4, 7, 1000}) {
      SCOPED_TRACE(name + " on " + std::to_string(parts));
      const auto tiles = csr_tiles(a.offsets);
      const split_plan plan = distributed::split(tiles, parts, split_of_96);
      ASSERT_EQ(plan.parts(), parts);
      std::int64_t atom = 0, tile = 0;
      for (int p = 0; p < parts; ++p) {
        EXPECT_EQ(plan.begin(p).atom, atom);
        EXPECT_EQ(plan.begin(p).tile, tile);
        for (; tile < plan.end(p).tile; ++tile) {
          EXPECT_LE(tiles.end(static_cast<int>(tile)), plan.end(p).atom);
          EXPECT_GE(tiles.end(static_cast<int>(tile)), plan.begin(p).atom);
        }
        atom = plan.end(p).atom;
        EXPECT_LE(plan.steps_of(p), plan.groups() / parts * plan.steps_per_group() + plan.steps_per_group());
      }
      EXPECT_EQ(atom, a.atoms());
      EXPECT_EQ(tile, a.rows);
    }
}

TEST(Split, SendsPartialSumsToThePartThatEndsTheTile) {
  for (const auto& [name, a] : hard_matrices())
    for (const int parts : {2, 3, 7, 50}) {
      SCOPED_TRACE(name + " on " + std::to_string(parts));
      const split_plan plan = distributed::split(csr_tiles(a.offsets), parts, split_of_96);
      std::vector<int> targets(static_cast<std::size_t>(parts), -1);
      for (int p = 0; p < parts; ++p) {
        std::int64_t next = -1;
        for (const auto& from : plan.carry_sources(p)) {
          EXPECT_EQ(targets[static_cast<std::size_t>(from.rank)], -1) << "one target for each part";
          targets[static_cast<std::size_t>(from.rank)] = p;
          EXPECT_GT(from.groups, 0);
          if (next >= 0) {
            EXPECT_EQ(plan.end(from.rank).group - from.groups, next) << "no group is left out";
          }
          next = plan.end(from.rank).group;
        }
        if (next >= 0) {
          EXPECT_EQ(next, plan.begin(p).group);
        }
      }
      for (int p = 0; p < parts; ++p)
        EXPECT_EQ(plan.carry_target(p), targets[static_cast<std::size_t>(p)]) << p;
    }
}

TEST(Split, BalancesHubsAndADenseRow) {
  std::vector<int> offsets{0};
  for (int i = 0; i < 1000000; ++i) offsets.push_back(offsets.back() + (i == 10 ? 2000000 : 1));
  const split_plan plan = distributed::split(csr_tiles(offsets), 8);
  EXPECT_LT(plan.imbalance(), 1.4) << plan.explain(); // 21 groups for 8 parts: 3 of 2.6
  EXPECT_LT(distributed::split(csr_tiles(offsets), 8, {.block_size = 32}).imbalance(), 1.06);
  expect_in(plan.explain(), "begins inside a tile");
  expect_in(plan.explain(), "imbalance 1.");
}

TEST(Split, RefusesNoPartsAndNoThreads) {
  const std::vector<int> offsets{0, 1};
  const auto refusal = [&](int parts, const split_options& options) {
    return refusal_of([&] { distributed::split(csr_tiles(offsets), parts, options); });
  };
  EXPECT_EQ(refusal(0, {}), "parts = 0: there must be at least one");
  EXPECT_EQ(refusal(1, {.block_size = 0}), "block_size = 0: a block has 1 to 1024 threads");
  EXPECT_EQ(refusal(1, {.blocks_per_group = 0}), "blocks_per_group = 0: must be at least 1");
}

TEST(Ranges, KnowTheirOwners) {
  const auto equal = distributed::ranges::equal(10, 4);
  EXPECT_EQ(equal, distributed::ranges({0, 3, 6, 8, 10}));
  for (int i = 0; i < 10; ++i) {
    const int owner = equal.owner(i);
    EXPECT_TRUE(equal.begin(owner) <= i && i < equal.end(owner)) << i;
  }
  const distributed::ranges gaps({0, 0, 5, 5, 5, 7, 7});
  EXPECT_EQ(gaps.owner(0), 1);
  EXPECT_EQ(gaps.owner(5), 4);
  EXPECT_EQ(refusal_of([] { distributed::ranges({0, 3, 2}); }),
            "cuts[2] = 2 is less than cuts[1] = 3: cuts must not decrease");
  EXPECT_EQ(refusal_of([] { distributed::ranges({1, 3}); }),
            "ranges must begin with 0 and have one cut more than ranks");
}

} // namespace
} // namespace evenly
