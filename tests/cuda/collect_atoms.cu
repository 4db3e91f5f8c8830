// SPDX-License-Identifier: Apache-2.0
// collect_atoms on a GPU: algorithms/collect_atoms_laws.hpp, on a schedule of each way of sharing.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/collect_atoms_laws.hpp"
#include "cuda/one_size.hpp"
#include "support/schedules.hpp"

namespace evenly::laws {
namespace {

constexpr auto all_ways = [](auto&& visit) { for_each_form_on<cuda>(visit); };

TEST(CollectAtomsOnCuda, KeepsItsLaws) {
  for (const int block_size : {32, 100, 128, 1024})
    expect_collects_under(cuda_of_any_size(), block_size, all_ways, adversarial_tile_sets);
}

/// Enough for the passes of resident blocks and for many blocks that take places.
TEST(CollectAtomsOnCuda, KeepsItsLawsOnManyBlocks) {
  expect_collects_under(cuda_of_any_size(), 128, all_ways, [](std::int64_t items) {
    return std::vector<named_tiles>{
        tile_sizes().add(power_law(300 * items / 4, 200 * items, 3)).named("power law over many blocks", 5)};
  });
}

/// For compute-sanitizer, which takes long.
TEST(ReducedCollectAtomsOnCuda, KeepsItsLaws) {
  expect_collects_under(cuda_of_any_size(), 64, all_ways, [](std::int64_t items) {
    return std::vector<named_tiles>{
        random_runs(40, items, 1), tile_sizes().add(3).add(2 * items, 0).add(items + 2).add(1).named("gaps")};
  });
}

} // namespace
} // namespace evenly::laws
