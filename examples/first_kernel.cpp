// SPDX-License-Identifier: Apache-2.0
// The same product by a user-defined kernel: loops over the rows and nonzeros of the calling thread.
#include <cstdio>
#include <vector>

#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/kernels/own_kernel.hpp"
#include "evenly/work/csr.hpp"

int main() {
  const std::vector<int> offsets{0, 2, 2, 3, 7}, columns{0, 3, 1, 0, 1, 2, 3};
  const std::vector<float> values{1, 2, 3, 4, 5, 6, 7}, x{1, 10, 100, 1000};
  std::vector<float> y(4);

  const evenly::cpu exec; // kernels hold views of memory: on the simulated GPU these report races
  const auto column = view(exec, columns);
  const auto value = view(exec, values), in = view(exec, x);
  const auto out = view(exec, y);
  const auto multiply = [=](auto& range) {
    for (const auto row : range.tiles()) {
      float sum = 0;
      for (const int k : range.atoms(row)) sum += value[k] * in[column[k]];
      range.combine(row, sum); // with the sums of other threads for this row
    }
  };
  const auto store = [=](int row, float sum) { out[row] = sum; }; // once per row
  evenly::for_each_range(evenly::csr_tiles(offsets), multiply, evenly::plus{}, store, exec);

  for (const float each : y) std::printf("%g\n", each);
  return y == std::vector<float>{2001, 0, 30, 7654} ? 0 : 1;
}
