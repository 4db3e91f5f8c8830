// SPDX-License-Identifier: Apache-2.0
// Step 3: the same sums under three schedules: checked, counted on a simulated GPU, then timed on the CPU.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "evenly/algorithms/reduce_tiles.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/memory.hpp"
#include "evenly/execution/simt.hpp"
#include "evenly/schedules/group_per_tile.hpp"
#include "evenly/schedules/merge_path.hpp"
#include "evenly/schedules/thread_mapped.hpp"
#include "evenly/trace/counted.hpp"
#include "evenly/trace/trace.hpp"
#include "evenly/work/csr.hpp"

/// The work of an atom: the length of the Collatz sequence that begins with its number + 1.
EVENLY_FN inline int collatz_length(int atom) {
  int length = 1;
  for (long long n = atom + 1LL; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) ++length;
  return length;
}

/// Adds up the atoms of each tile. measure(run) may call run() once or many times. Returns the sums.
template <class Executor, class Schedule, class Plus, class Measure>
std::vector<int> add_up(const Executor& exec, const Schedule& schedule, const std::vector<int>& offsets,
                        const Plus& plus, const Measure& measure) {
  std::vector<int> sums(offsets.size() - 1, -1);
  const auto out = evenly::view(exec, sums);
  const auto work = [] EVENLY_FN(int atom) { return collatz_length(atom); };
  const auto store = [=] EVENLY_FN(int tile, int sum) { out[tile] = sum; };
  auto plan = evenly::make_plan(exec, schedule, evenly::csr_tiles(offsets)); // once for many runs
  measure([&] { evenly::reduce_tiles(exec, plan, work, plus, store); });
  return sums;
}

/// Prints the parallel steps of the sums on a GPU, then their time on this CPU.
template <class Schedule>
bool try_out(const char* name, const Schedule& schedule, const std::vector<int>& offsets,
             const std::vector<int>& right) {
  evenly::trace counts;
  const evenly::simt gpu({.trace = &counts});
  const evenly::counted<evenly::plus<int>> counted_plus;
  const auto simulated = add_up(gpu, schedule, offsets, counted_plus, [](const auto& run) { run(); });

  double min = 1e9;
  const auto timed = add_up(evenly::cpu(), schedule, offsets, evenly::plus<int>{}, [&](const auto& run) {
    for (int i = 0; i < 20; ++i) {
      const auto start = std::chrono::steady_clock::now();
      run();
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      min = std::min(min, took.count());
    }
  });
  const bool ok = simulated == right && timed == right;
  std::printf("%-17s %s, %6lld parallel steps on a GPU, %.2f ms on this CPU\n", name, ok ? "right" : "WRONG",
              static_cast<long long>(counts.totals().steps), min);
  return ok;
}

int main() {
  std::vector<int> offsets{0}, right; // 2,000 tiles of 4 atoms, and among them one of 20,000
  for (int tile = 0, atom = 0; tile < 2001; ++tile) {
    const int size = tile == 1000 ? 20'000 : 4;
    offsets.push_back(offsets.back() + size);
    for (right.push_back(0); atom < offsets.back(); ++atom) right.back() += collatz_length(atom);
  }
  bool ok = try_out("thread_mapped", evenly::thread_mapped{}, offsets, right);
  ok &= try_out("group_per_tile<8>", evenly::group_per_tile<8>{}, offsets, right);
  ok &= try_out("merge_path", evenly::merge_path{}, offsets, right);
  return ok ? 0 : 1;
}
