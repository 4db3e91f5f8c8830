// SPDX-License-Identifier: Apache-2.0
// Schedules that read back what they prepare are neither bound to other tiles nor for sizes on the device; tiles of
// another type are for another plan.
//
// WRONG=1 says: the schedule waits for the executor during preparation, so its plans cannot be bound to other tiles
// WRONG=2 says: the schedule sizes its launch on the host, so it does not support tile sets with sizes on the device
// WRONG=3 says: the schedule sizes its launch on the host, so it does not support tile sets with sizes on the device
// WRONG=4 says: rebind

#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/binned.hpp"
#include "evenly/schedules/dynamic_group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/plan.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/csr_on_device.hpp"
#include "evenly/work/uniform.hpp"

int main() {
  const evenly::cpu exec;
  const std::vector<int> offsets{0, 2, 5};
  const int count = 2;
  const auto tiles = evenly::csr_tiles(offsets);
  const auto sized = evenly::csr_tiles_on_device(offsets.data(), &count, {2, 5});
  auto plan = evenly::make_plan(exec, evenly::merge_path{}, tiles);
  plan.rebind(tiles);
  auto plan_of_sized = evenly::make_plan(exec, evenly::merge_path{}, sized);
  plan_of_sized.rebind(sized);
  evenly::make_plan(exec, evenly::binned{}, tiles);
#if WRONG == 1
  evenly::make_plan(exec, evenly::binned{}, tiles).rebind(tiles);
#elif WRONG == 2
  evenly::make_plan(exec, evenly::binned{}, sized);
#elif WRONG == 3
  evenly::make_plan(exec, evenly::dynamic_group_per_tile{}, sized);
#elif WRONG == 4
  plan.rebind(evenly::uniform_tiles(2, 1));
#endif
}
