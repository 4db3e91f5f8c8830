// SPDX-License-Identifier: Apache-2.0
// Neighbor lists on a GPU: against all pairs, and with many points against the CPU's list.

#include <gtest/gtest.h>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "spatial/neighbor_laws.hpp"

namespace evenly {
namespace {

using namespace neighbor_laws;

TEST(NeighborListOnCuda, IsThatOfAllPairs) {
  expect_all_boxes<float>(evenly::cuda(), 1000);
  expect_all_boxes<double>(evenly::cuda(), 300);
}

TEST(NeighborListOnCuda, HasOtherForms) { expect_other_forms<float>(evenly::cuda(), 9); }

TEST(NeighborListOnCuda, OfManyPointsIsThatOfTheCpu) {
  spatial::neighbor_options options{.box = spatial::simulation_box::orthorhombic(100, 100, 100)};
  for (const bool half : {false, true}) {
    options.half = options.vectors = half;
    const auto of = random_places<float>(100'000, 100, half ? 1 : 0);
    expect_same(list_on(evenly::cuda(), of, 5, options), list_on(cpu(), of, 5, options));
  }
  auto cluster = random_places<double>(20'000, 10); // many points per cell
  cluster.x.front() = 1e4;
  expect_same(list_on(evenly::cuda(), cluster, 1.5, {}), list_on(cpu(), cluster, 1.5, {}));
}

} // namespace
} // namespace evenly
