// SPDX-License-Identifier: Apache-2.0
// One includer: only programs without the compiled library read it.
// How the cpu executor starts threads and allocates: the definitions for execution/cpu.hpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory_resource>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#if !defined(EVENLY_STD_THREADS)
// oneTBB includes <immintrin.h>, a third of the lines of a small program, but needs only <xmmintrin.h>. So this hides
// the rest from it.
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
#include "evenly/execution/executor.hpp"

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

#if defined(MADV_HUGEPAGE)
/// Large arrays begin at a huge page. The end of an array, less than a huge page, has small pages.
class huge_page_resource final : public std::pmr::memory_resource {
  static constexpr std::size_t huge_page = std::size_t{2} << 20, min_bytes = 2 * huge_page;

  static std::size_t alignment_of(std::size_t bytes, std::size_t alignment) {
    return bytes < min_bytes ? alignment : larger(alignment, huge_page);
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const memory = ::operator new(bytes, std::align_val_t{alignment_of(bytes, alignment)});
    if (bytes >= min_bytes) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE); // may be refused
    return memory;
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    ::operator delete(memory, bytes, std::align_val_t{alignment_of(bytes, alignment)});
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

EVENLY_RUNTIME_FN std::pmr::memory_resource* host_resource() {
  static std::pmr::memory_resource* const resource = new huge_page_resource; // outlives static buffers
  return resource;
}
#else
EVENLY_RUNTIME_FN std::pmr::memory_resource* host_resource() { return std::pmr::new_delete_resource(); }
#endif

EVENLY_RUNTIME_FN void call_all_at_once(int count, numbered_call body, first_failure& failure) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  for (int i = 1; i < count && !failure.failed(); ++i) {
    try {
      threads.emplace_back([body, i] { body(i); });
    } catch (const std::system_error& e) {
      failure.set(std::make_exception_ptr(
          device_error(std::to_string(count) + " blocks cannot run at the same time: " + e.what())));
    }
  }
  if (count > 0 && !failure.failed()) body(0); // on the calling thread, for which the interrupt hook is
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
  // A block may wait for oneTBB work of its own. oneTBB must not run another block on its thread then, since that may
  // wait for the first.
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
      check_interrupt();
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
