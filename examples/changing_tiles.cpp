// SPDX-License-Identifier: Apache-2.0
// One plan for tiles that change in every round: the rows of a growing triangle. First their number is on the host,
// then in memory of the executor only. In both cases a round neither allocates nor waits for the executor.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"
#include "evenly/work/csr_on_device.hpp"

/// Row r has r + 1 atoms, each with the value 1.
bool are_right(const std::vector<int>& sums, int rows) {
  for (int row = 0; row < rows; ++row)
    if (sums[row] != row + 1) return false;
  return true;
}

int main() {
  constexpr int max = 100; // rows, of 1, 2, 3 ... atoms
  std::vector<int> offsets{0};
  std::vector<int> sums(max);
  for (int row = 1; row <= max; ++row) offsets.push_back(offsets.back() + row);

  const evenly::cpu exec;
  const auto out = evenly::view(exec, sums);
  const auto one = [] EVENLY_FN(int) { return 1; };
  const auto store = [=] EVENLY_FN(int row, int sum) { out[row] = sum; };
  const evenly::capacity room{.tiles = max, .atoms = offsets.back()};
  using rows_type = evenly::csr_tile_set<int>;
  bool right = true;

  auto plan = evenly::make_plan(exec, evenly::merge_path{},
                                evenly::assume_valid(rows_type(offsets.data(), 1), 1), room);
  plan.reserve(evenly::reduces<int>{}); // what reduce_tiles of ints will take
  for (int rows = 1; rows <= max; ++rows) {
    // So many rows, with so many atoms.
    plan.rebind(evenly::assume_valid(rows_type(offsets.data(), rows), offsets[rows]));
    evenly::reduce_tiles(exec, plan, one, evenly::plus<int>{}, store);
    right = right && are_right(sums, rows);
  }

  int count = 0; // where the executor can read it: on cuda a kernel would write it
  const auto counted = evenly::csr_tiles_on_device(offsets.data(), &count, room);
  auto plan_of_counted = evenly::make_plan(exec, evenly::merge_path{}, counted);
  plan_of_counted.reserve(evenly::reduces<int>{});
  for (count = 1; count <= max; ++count) {
    plan_of_counted.rebind(counted); // the sizes have changed
    evenly::reduce_tiles(exec, plan_of_counted, one, evenly::plus<int>{}, store);
    right = right && are_right(sums, count);
  }

  std::printf("%d rows, the last has %d atoms\n", max, sums.back());
  return right ? 0 : 1;
}
