// SPDX-License-Identifier: Apache-2.0
// Step 4: three skeletons on one plan: a value for each tile, a prefix for each atom, a call for each atom.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/algorithms/scan_tiles.hpp"
#include "evenly/core/monoid.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

int main() {
  // Payments of four customers; the third has made none.
  const std::vector<int> offsets{0, 3, 5, 5, 6};
  const std::vector<int> payments{5, 2, 9, 4, 4, 7};
  std::vector<int> largest(4), so_far(6), customer_of(6);

  const evenly::cpu exec;
  const auto payment = evenly::view(exec, payments);
  const auto max = evenly::view(exec, largest), sum = evenly::view(exec, so_far);
  const auto owner = evenly::view(exec, customer_of);
  auto plan = evenly::make_plan(exec, evenly::merge_path{}, evenly::csr_tiles(offsets));
  const auto amount = [=] EVENLY_FN(int k) { return payment[k]; };

  // A segmented reduction: one value for each tile, here the greatest payment instead of the sum.
  evenly::reduce_tiles(exec, plan, amount, evenly::maximum<int>{},
                       [=] EVENLY_FN(int customer, int greatest) { max[customer] = greatest; });
  // A segmented scan: for each atom the sum of its tile up to and including the atom.
  evenly::scan_tiles(exec, plan, amount, evenly::plus{},
                     [=] EVENLY_FN(int k, int until_here) { sum[k] = until_here; });
  // A call for each atom, with its tile.
  evenly::for_each_atom(exec, plan, [=] EVENLY_FN(int customer, int k) { owner[k] = customer; });

  for (int k = 0; k < 6; ++k)
    std::printf("payment %d by customer %d: %d, %d so far\n", k, customer_of[k], payments[k], so_far[k]);
  for (const int customer : {0, 1, 3})
    std::printf("largest of customer %d: %d\n", customer, largest[customer]);
  return so_far == std::vector<int>{5, 7, 16, 4, 8, 7} && largest[0] == 9 && largest[1] == 4 &&
                 largest[3] == 7 && customer_of == std::vector<int>{0, 0, 0, 1, 1, 3}
             ? 0
             : 1;
}
