// SPDX-License-Identifier: Apache-2.0
// collect_atoms on the simulated GPU, under every schedule in any order, which has a worker of its own.

#include <gtest/gtest.h>

#include "algorithms/collect_atoms_laws.hpp"
#include "evenly/execution/simt.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

TEST(CollectAtomsOnSimt, KeepsItsLaws) {
  const auto all_ways = [](auto&& visit) { for_each_form_on<simt>(visit); };
  expect_collects_under(simt({.warp_size = 32}), 33, all_ways, adversarial_tile_sets);
  expect_collects_under(simt({.warp_size = 4, .seed = 1}), 8, all_ways, adversarial_tile_sets);
}

} // namespace
} // namespace evenly::laws
