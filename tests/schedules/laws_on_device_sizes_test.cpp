// SPDX-License-Identifier: Apache-2.0
// The laws of laws/laws.hpp for tile sets that are sized on the device, each as large as was stated and smaller.

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "evenly/execution/simt.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/streamed.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "laws/laws.hpp"
#include "laws/tile_sets.hpp"

namespace evenly::laws {
namespace {

template <unsigned Depth, class Schedule>
void expect_laws(const Schedule& schedule, const std::vector<named_tiles>& sets, std::int64_t more) {
  const simt exec({.seed = 11});
  for (const named_tiles& set : sets) {
    const std::vector<int> offsets(set.offsets.begin(), set.offsets.end());
    const auto count = static_cast<std::int64_t>(offsets.size()) - 1;
    const auto tiles =
        csr_tiles_on_device(offsets.data(), &count, {count + more, offsets.back() - offsets.front() + more});
    findings found;
    check_laws<Depth>(exec, schedule, tiles, set.offsets, found);
    for (const violation& each : found.all())
      ADD_FAILURE() << "law " << each.broken << " with room for " << more << " more, \"" << set.name
                    << "\": " << each.what;
  }
}

TEST(LawsOnDeviceSizes, HoldForMergePath) {
  const std::int64_t chunk = 64 * 13;
  const auto sets = adversarial_tile_sets(chunk);
  const auto schedule = merge_path<>{.block_size = 64};
  constexpr unsigned laws = depth::ranks | depth::stretches | depth::matrices | depth::scan;
  expect_laws<laws>(schedule, sets, 0);
  expect_laws<laws>(schedule, {random_runs(90, chunk, 3), tile_sizes().add(0).named("one empty tile")}, 5000);
}

TEST(LawsOnDeviceSizes, HoldWhereChunksAreDrawn) {
  const std::int64_t chunk = 64 * 4;
  const auto schedule = streamed{.block_size = 64};
  constexpr unsigned laws = depth::bytes | depth::floats | depth::in_place;
  expect_laws<laws>(schedule, adversarial_tile_sets(chunk), 0);
  expect_laws<laws>(schedule, {random_runs(90, chunk, 3), tile_sizes().named("no tiles")}, 5000);
}

} // namespace
} // namespace evenly::laws
