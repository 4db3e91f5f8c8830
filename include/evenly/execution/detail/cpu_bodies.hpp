// SPDX-License-Identifier: Apache-2.0
// How the cpu executor starts threads: the definitions for execution/cpu.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#if !defined(EVENLY_STD_THREADS)
// oneTBB includes all intrinsics of GCC, a third of the lines of a small program, and uses three of <xmmintrin.h>.
// A later #include <immintrin.h> works as usual.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(_IMMINTRIN_H_INCLUDED)
#include <xmmintrin.h>
#define _IMMINTRIN_H_INCLUDED
#define EVENLY_HIDES_INTRINSICS
#endif
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#if defined(EVENLY_HIDES_INTRINSICS)
#undef _IMMINTRIN_H_INCLUDED
#undef EVENLY_HIDES_INTRINSICS
#endif
#endif

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/cpu.hpp"
#include "evenly/execution/detail/before_block.hpp"
#include "evenly/execution/shape.hpp"

namespace evenly::detail {

EVENLY_RUNTIME_FN int available_threads() {
#if defined(EVENLY_STD_THREADS)
  const unsigned found = std::thread::hardware_concurrency();
  return found > 0 ? static_cast<int>(found) : 1;
#else
  return tbb::info::default_concurrency();
#endif
}

EVENLY_RUNTIME_FN void yield_thread() { std::this_thread::yield(); }

EVENLY_RUNTIME_FN void call_all_at_once(int count, numbered_call body, first_failure& failure) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count && !failure.failed(); ++i) {
    try {
      threads.emplace_back([body, i] { body(i); });
    } catch (const std::system_error& e) {
      failure.set(std::make_exception_ptr(
          device_error(std::to_string(count) + " blocks cannot run at the same time: " + e.what())));
    }
  }
}
EVENLY_RUNTIME_FN void call_blocks(int threads, int count, numbered_call body) {
  if (threads == 1 || count <= 1) {
    for (int i = 0; i < count; ++i) body(i);
    return;
  }
#if defined(EVENLY_STD_THREADS) // for the thread sanitizer, which cannot see into oneTBB
  std::atomic<int> next{0};
  first_failure failure;
  for_each_at_once(
      smaller(threads, count),
      [&](int) {
        try {
          for (int i = next++; i < count && !failure.failed(); i = next++) body(i);
        } catch (...) {
          failure.set(std::current_exception());
        }
      },
      failure);
  failure.rethrow();
#else
  // A block may wait for oneTBB work of its own. oneTBB must not give it another block meanwhile, since that may wait
  // for the first.
  const auto each = [&](int i) { tbb::this_task_arena::isolate([&] { body(i); }); };
  auto loop = [&] { tbb::parallel_for(0, count, each, tbb::simple_partitioner{}); };
  const int possible = smaller(threads, tbb::info::default_concurrency());
  if (possible == tbb::this_task_arena::max_concurrency())
    loop();
  else
    tbb::task_arena(possible).execute(loop);
#endif
}
EVENLY_RUNTIME_FN void run_cpu_job(const cpu& exec, const launch_shape& shape, const cpu_job& job) {
  check(shape);
  first_failure failure;
  const auto run = [&](int index) {
    if (failure.failed()) return;
    try {
      call_before_block();
      alignas(64) std::byte small[1024];
      std::vector<std::byte> large(job.bytes > sizeof(small) ? job.bytes : 0);
      job.call(job.kernel, {index, shape.blocks, large.empty() ? small : large.data(), &failure.failed(),
                            shape.co_resident});
    } catch (...) {
      failure.set(std::current_exception());
    }
  };
  if (shape.co_resident)
    for_each_at_once(shape.blocks, run, failure);
  else
    for_each_block(exec.threads(), shape.blocks, run);
  failure.rethrow();
}

} // namespace evenly::detail
