// SPDX-License-Identifier: Apache-2.0
// y = A x for a matrix whose rows have 2, 0, 1 and 4 nonzeros.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/schedules/automatic.hpp"
#include "evenly/work/csr.hpp"

int main() {
  const std::vector<int> offsets{0, 2, 2, 3, 7};
  const std::vector<int> columns{0, 3, 1, 0, 1, 2, 3};
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7};
  const std::vector<float> x{1, 10, 100, 1000};
  std::vector<float> y(4);

  const evenly::cpu exec;                                         // where: the cores of this machine
  const auto rows = evenly::csr_tiles(offsets);                   // what: tile = row, atom = nonzero
  auto plan = evenly::make_plan(exec, evenly::automatic{}, rows); // how: plan.explain() says it

  // Functions hold views of memory, not owners. On the simulated GPU a view reports races.
  const auto column = evenly::view(exec, columns);
  const auto value = evenly::view(exec, values), in = evenly::view(exec, x);
  const auto out = evenly::view(exec, y);
  const auto product = [=] EVENLY_FN(int k) { return value[k] * in[column[k]]; }; // of every atom
  const auto store = [=] EVENLY_FN(int row, float sum) { out[row] = sum; };       // once for every row
  evenly::reduce_tiles(exec, plan, product, evenly::plus<float>{}, store);

  for (const float each : y) std::printf("%g\n", each);
  return y == std::vector<float>{2001, 0, 30, 7654} ? 0 : 1;
}
