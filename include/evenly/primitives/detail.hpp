// SPDX-License-Identifier: Apache-2.0
// What the primitives share: on the host one scan, which oneTBB shares among the cores; on cuda the memory that CUB
// works in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/cuda.hpp"
#include "evenly/execution/memory.hpp"

#if !defined(EVENLY_STD_THREADS)
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_scan.h>
#include <tbb/task_arena.h>
#endif

namespace evenly::detail {

/// Goes through [0, count) with a running sum: sum = step(i, sum, final). cpu shares the range among its threads and may
/// go through parts of it twice, the first time with final = false, when step must change nothing; other executors with
/// host memory take it by one thread. step(i, sum, ...) - sum does not depend on sum. Returns the last sum.
template <class Executor, class Step>
std::int64_t scan_on_host(const Executor& exec, std::int64_t count, const Step& step) {
  const auto go = [&](std::int64_t begin, std::int64_t end, std::int64_t sum, bool final) {
    for (std::int64_t i = begin; i < end; ++i) sum = step(i, sum, final);
    return sum;
  };
#if !defined(EVENLY_STD_THREADS) // the thread sanitizer cannot see into oneTBB
  if constexpr (Executor::serial_blocks) {
    using range = tbb::blocked_range<std::int64_t>;
    constexpr std::int64_t grain = 4096;
    const auto scan = [&] {
      return tbb::parallel_scan(
          range(0, count, grain), std::int64_t{0},
          [&](const range& r, std::int64_t sum, bool final) { return go(r.begin(), r.end(), sum, final); },
          [](std::int64_t a, std::int64_t b) { return a + b; });
    };
    const int possible = smaller(exec.threads(), tbb::info::default_concurrency());
    return possible == tbb::this_task_arena::max_concurrency() ? scan()
                                                               : tbb::task_arena(possible).execute(scan);
  }
#endif
  return go(0, count, 0, true);
}

#if defined(__CUDACC__)
/// Calls call(memory, bytes) twice, as CUB's functions want it: to learn how many bytes they need, and with them. The
/// memory is the executor's.
template <class Call> void with_temporary_memory(const cuda& exec, const Call& call) {
  std::size_t bytes = 0;
  EVENLY_CUDA_CHECK(call(nullptr, bytes));
  const auto memory = make_buffer<std::byte>(exec, bytes);
  EVENLY_CUDA_CHECK(call(memory.data(), bytes));
}
#endif

} // namespace evenly::detail
