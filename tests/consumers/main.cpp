// SPDX-License-Identifier: Apache-2.0
// A program of another project that uses the headers: the sums of three rows, on the CPU.
#include <cstdio>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

int main() {
  const std::vector<int> offsets{0, 2, 2, 5};
  std::vector<int> sums(3, -1);
  const evenly::cpu exec;
  auto plan = evenly::make_plan(exec, evenly::merge_path{}, evenly::csr_tiles(offsets));
  const auto number = [](int atom) { return atom; };
  const auto store = [out = sums.data()](int row, int sum) { out[row] = sum; };
  evenly::reduce_tiles(exec, plan, number, evenly::plus<int>{}, store);
  std::printf("%d %d %d\n", sums[0], sums[1], sums[2]);
  return sums == std::vector<int>{1, 0, 9} ? 0 : 1;
}
