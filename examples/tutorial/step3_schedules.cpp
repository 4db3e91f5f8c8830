// SPDX-License-Identifier: Apache-2.0
// Step 3: the same sums under three schedules, checked, then timed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/view.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/work/csr.hpp"

/// Adds up the atoms of each tile under a schedule. Returns whether that is right, and says how long it took.
template <class Schedule>
bool add_up(const char* name, const Schedule& schedule, const std::vector<int>& offsets,
            const std::vector<int>& right) {
  std::vector<int> sums(right.size(), -1);
  const evenly::cpu exec;
  const auto out = evenly::view(exec, sums);
  const auto one = [] EVENLY_FN(int) { return 1; };
  const auto store = [=] EVENLY_FN(int tile, int sum) { out[tile] = sum; };

  auto plan = evenly::make_plan(exec, schedule, evenly::csr_tiles(offsets)); // once for many runs
  const auto run = [&] { evenly::reduce_tiles(exec, plan, one, evenly::plus<int>{}, store); };
  run();
  if (sums != right) {
    std::printf("%s: wrong\n", name);
    return false;
  }
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count());
  }
  std::printf("%s: right, %.3f ms\n", name, least);
  return true;
}

int main() {
  // 20,000 tiles of 4 atoms, and one of a million: whoever takes whole tiles waits for that one.
  std::vector<int> offsets{0}, sizes(20001, 4);
  sizes[10000] = 1'000'000;
  for (const int size : sizes) offsets.push_back(offsets.back() + size);

  const bool right = add_up("thread_mapped", evenly::thread_mapped{}, offsets, sizes) &&
                     add_up("group_per_tile<8>", evenly::group_per_tile<8>{}, offsets, sizes) &&
                     add_up("merge_path", evenly::merge_path{}, offsets, sizes);
  return right ? 0 : 1;
}
