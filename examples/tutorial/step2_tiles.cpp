// SPDX-License-Identifier: Apache-2.0
// Step 2: the same product as tiles and atoms, shared by a schedule.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

int main() {
  const std::vector<int> offsets{0, 2, 3, 3, 9, 10};
  const std::vector<int> columns{0, 4, 1, 0, 1, 2, 3, 4, 0, 2};
  const std::vector<float> values{1, 1, 2, 1, 1, 1, 1, 1, 1, 3};
  const std::vector<float> x{1, 2, 3, 4, 5};
  std::vector<float> y(5);

  const evenly::cpu exec;                                          // where: the executor
  const auto rows = evenly::csr_tiles(offsets);                    // what: a tile is a row, an atom a nonzero
  auto plan = evenly::make_plan(exec, evenly::merge_path{}, rows); // how: the schedule

  // Function objects are copied to where they run, so they hold views and no vectors.
  const auto column = evenly::view(exec, columns);
  const auto value = evenly::view(exec, values), in = evenly::view(exec, x);
  const auto out = evenly::view(exec, y);

  const auto product = [=] EVENLY_FN(int k) { return value[k] * in[column[k]]; }; // the inner loop's body
  const auto store = [=] EVENLY_FN(int row, float sum) { out[row] = sum; };       // what came after that loop
  evenly::reduce_tiles(exec, plan, product, evenly::plus{}, store);

  for (int row = 0; row < 5; ++row) std::printf("row %d: y = %g\n", row, y[row]);
  return y == std::vector<float>{6, 4, 0, 16, 9} ? 0 : 1;
}
