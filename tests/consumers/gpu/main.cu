// SPDX-License-Identifier: Apache-2.0
// The rows of five nonzeros, written by a kernel; without a GPU it is enough that it compiles and starts.
#include <vector>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"

int main() {
  if (int devices = 0; cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  const evenly::cuda exec;
  const auto offsets = evenly::to_executor(exec, std::vector<int>{0, 2, 2, 5});
  const auto rows = evenly::make_buffer<int>(exec, 5);
  auto plan = evenly::make_plan(exec, evenly::thread_mapped{}, evenly::csr_tiles(offsets.span()));
  int* const out = rows.data();
  evenly::for_each_atom(exec, plan, [=] EVENLY_FN(int row, int atom) { out[atom] = row; });
  return evenly::to_host(exec, rows) == std::vector<int>{0, 0, 2, 2, 2} ? 0 : 1;
}
