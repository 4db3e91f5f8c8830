// SPDX-License-Identifier: Apache-2.0
// Numbers for the blocks of a launch, so that those of a multiprocessor are near each other.
//
// A GPU deals blocks to multiprocessors in turn. Neighbouring blocks, which often read the same rows, then run on
// different ones, and the cache of each has them. Here a block takes its number where it runs: seven eighths of the
// numbers are cut into runs, one for each multiprocessor, and a block takes the next one of its run. If there is none
// left it takes one of the others, in their order; if there is none of these either, the next one of another run. Each
// number is taken once, whatever a multiprocessor is called; and what a block does depends on its number alone.
#pragma once

#include "evenly/core/annotations.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/atomic.hpp"
#include "evenly/execution/workspace.hpp"

namespace evenly {

struct near_numbers {
  int* taken = nullptr; ///< of each run, then of the others; 0 before a launch, and reset() in the next
  int runs = 0;         ///< if 0, blocks keep the numbers that they have

  /// For a launch of so many blocks. `counters`: of a workspace.
  template <class Executor> static near_numbers of(const Executor& exec, int* counters, int blocks) {
    int runs = 0;
    if constexpr (requires { exec.multiprocessors(); })
      runs = smaller(exec.multiprocessors(), workspace::counters - 1);
    else if constexpr (!Executor::serial_blocks)
      runs = 3; // a simulated GPU
    return blocks / 8 < runs ? near_numbers{} : near_numbers{counters, runs};
  }

  /// A number for the calling block, of [0, blocks). By one of its threads.
  template <class Block> EVENLY_FN int take(const Block& block) const {
    const int of_run = block.count() / 8 * 7 / runs, behind = runs * of_run;
    const int mine = run_of(block);
    const int number = next_of(mine);
    if (number < of_run) return mine * of_run + number;
    const int other = behind + next_of(runs);
    if (other < block.count()) return other;
    for (int run = mine;;) {
      run = run + 1 < runs ? run + 1 : 0;
      if (atomic_ref(taken[run]).load(order::relaxed{}) >= of_run) continue;
      if (const int left = next_of(run); left < of_run) return run * of_run + left;
    }
  }
  /// By all threads of a block of a later launch.
  template <class Block> EVENLY_FN void reset(const Block& block) const {
    if (runs == 0) return;
    for (int i = block.rank(); i <= runs; i += block.size()) atomic_ref(taken[i]).store(0, order::relaxed{});
  }

 private:
  EVENLY_FN int next_of(int run) const { return atomic_ref(taken[run]).fetch_add(1, order::relaxed{}); }
  template <class Block> EVENLY_FN int run_of([[maybe_unused]] const Block& block) const {
#if defined(__CUDA_ARCH__)
    unsigned number;
    asm("mov.u32 %0, %%smid;" : "=r"(number));
    return static_cast<int>(number) % runs;
#else
    return block.index() % (runs + 1) % runs; // twice as many of the first, so that its run is not enough
#endif
  }
};

} // namespace evenly
