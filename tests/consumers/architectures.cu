// SPDX-License-Identifier: Apache-2.0
// Kernels of skeletons, a primitive and a search, to be compiled for every generation of GPUs (_check.py).
#include <cstdint>

#include "evenly/algorithms/for_each_atom.hpp"
#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/primitives/scan.hpp"
#include "evenly/schedules/group_mapped.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/work/csr.hpp"

void sums_of_rows(const evenly::cuda& exec, const evenly::csr_tile_set<int>& rows, const double* values,
                  double* sums) {
  const auto value = [=] EVENLY_FN(int k) { return values[k]; };
  const auto store = [=] EVENLY_FN(int row, double sum) { sums[row] = sum; };
  auto even = evenly::make_plan(exec, evenly::merge_path{}, rows);
  evenly::reduce_tiles(exec, even, value, evenly::plus<double>{}, store);
  auto by_groups = evenly::make_plan(exec, evenly::group_mapped<32>{}, rows);
  evenly::for_each_atom(
      exec, by_groups, [=] EVENLY_FN(int row, int k) { evenly::atomic_ref(sums[row]).fetch_add(values[k]); });
}

void prefix_sums(const evenly::cuda& exec, const float* in, std::int64_t count, float* out) {
  evenly::inclusive_scan(exec, in, count, evenly::plus<float>{}, out);
}
