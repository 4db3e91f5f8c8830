// SPDX-License-Identifier: Apache-2.0
// Neighbor lists against all pairs over all images, on cpu and simt; wrong input.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/core/errors.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/simt.hpp"
#include "spatial/neighbor_laws.hpp"
#include "support/messages.hpp"

namespace evenly {
namespace {

using namespace neighbor_laws;
using spatial::neighbor_list, spatial::neighbor_options, spatial::simulation_box;

TEST(NeighborList, IsThatOfAllPairs) {
  expect_all_boxes<float>(cpu(2), 200);
  expect_all_boxes<double>(cpu(), 120);
}

TEST(NeighborList, OnSimtIsTheSame) {
  for (const int warp : {4, 32}) {
    simt_options of;
    of.warp_size = warp;
    of.seed = static_cast<std::uint64_t>(warp);
    expect_all_boxes<float>(simt(of), 40);
  }
  expect_all_boxes<double>(simt(), 25);
}

TEST(NeighborList, HasOtherForms) {
  expect_other_forms<float>(cpu(2), 5);
  expect_other_forms<double>(simt(), 3);
}

TEST(NeighborList, OfPointsInRandomOrder) {
  for (const bool half : {false, true}) {
    // More candidates than are sorted in registers; more than storage has room for.
    const auto of = random_places<float>(400, 18.1);
    neighbor_options options{.box = simulation_box::orthorhombic(18.1, 18.1, 18.1), .half = half};
    const auto right = all_pairs(of, 6, options, 2);
    expect_same(list_on(cpu(), of, 6, options), right);
    expect_same(list_on(simt(), of, 6, options), right);
    const auto dense = random_places<float>(120, 10);
    options.box = simulation_box::orthorhombic(10, 10, 10);
    expect_same(list_on(simt(), dense, 5, options), all_pairs(dense, 5, options, 2));
  }
}

TEST(NeighborList, RefusesWhatCannotBe) {
  auto of = random_places<double>(5, 10);
  const auto message = [&](double cutoff, const neighbor_options& options = {}) {
    return message_of<invalid_argument>([&] { neighbor_list(cpu(), of.view(), cutoff, options); });
  };
  const std::string rule = ": it and its square must be positive and finite";
  EXPECT_EQ(message(0), "cutoff = 0" + rule);
  EXPECT_EQ(message(-1), "cutoff = -1" + rule);
  EXPECT_EQ(message(std::nan("")), "cutoff = nan" + rule);
  EXPECT_EQ(message(1e200), "cutoff = 1e+200" + rule);
  const std::string flat = ": its edges must be finite, and not in one plane";
  EXPECT_EQ(message(1, {.box = simulation_box{{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}}),
            "the box has volume 0 and edges whose lengths multiply to 1.41421" + flat);
  EXPECT_EQ(message_of<invalid_argument>([] { simulation_box::orthorhombic(1, -2, 1); }),
            "box length -2: lengths must be positive and finite");
  EXPECT_EQ(message(600, {.box = simulation_box::orthorhombic(1, 1e4, 1e4)}),
            "neighbors are up to 609 boxes apart along edge 0: at most 511 are possible; wrap the positions, "
            "or use "
            "a smaller cutoff");
  EXPECT_EQ(message(1, {.nearest = 0}), "nearest = 0: it must be at least 1");
  EXPECT_EQ(message(1, {.half = true, .nearest = 3}),
            "nearest: rows must be complete to choose from; leave out half and capacity");
  EXPECT_EQ(message(1, {.capacity = -1}), "capacity = -1: it must not be negative");
  const auto fewer = random_places<double>(4, 10);
  EXPECT_EQ(message_of<invalid_argument>([&] { spatial::must_rebuild(cpu(), of.view(), fewer.view(), 1); }),
            "5 points before and 4 now: the numbers must be equal");
  EXPECT_EQ(message_of<invalid_argument>([&] { spatial::must_rebuild(cpu(), of.view(), of.view(), -1); }),
            "skin = -1: it must be finite and not negative");
  of.z[1] = 1e12;
  EXPECT_EQ(message(1, {.box = simulation_box::orthorhombic(10, 10, 10)}),
            "a position is 1e+11 boxes away along edge 2: at most 1e9 are possible; wrap the positions");
  of.y[3] = std::nan("");
  of.z[4] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(message(1), "point 3 has y = nan: coordinates must be finite");
}

} // namespace
} // namespace evenly
