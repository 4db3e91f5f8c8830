// SPDX-License-Identifier: Apache-2.0
// The cpu executor: a block is one thread, and oneTBB distributes the blocks among the cores.
//
// All collectives of a one-thread block are trivial and compile away, so a kernel becomes plain serial code per core.
// The plan cuts the work into blocks, never oneTBB, so results repeat.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory_resource>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "evenly/block/block.hpp"
#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"
#include "evenly/core/index.hpp"
#include "evenly/execution/executor.hpp"
#include "evenly/execution/memory.hpp"

namespace evenly {

namespace detail {

/// Orders the calling thread's earlier accesses before its later ones, for all threads.
inline void fence_for_all() {
#if defined(EVENLY_THREAD_SANITIZER) // it does not support fences
  static std::atomic<int> met{0};
  met.fetch_add(1, std::memory_order_acq_rel);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// Returns how many operating-system threads run at the same time.
EVENLY_RUNTIME_FN int available_threads();
/// Lets another operating-system thread run.
EVENLY_RUNTIME_FN void yield_thread();
/// Returns the default resource of cpu: operator new, and huge pages for arrays of 4 MB or more where Linux grants them
/// on request. A new array then takes a fraction of the page faults. (A product of sparse matrices with 10 million
/// entries, 2026-11-27: 25% less CPU time.)
EVENLY_RUNTIME_FN std::pmr::memory_resource* host_resource();

} // namespace detail

/// A block of one thread.
class cpu_block {
 public:
  static constexpr bool is_serial = true;

  /// `failed`: set when another block of the launch has thrown; may be null.
  cpu_block(int index, int count, std::byte* storage, const std::atomic<bool>* failed = nullptr,
            bool co_resident = false)
      : index_(index), count_(count), storage_(storage), failed_(failed), co_resident_(co_resident) {}

  EVENLY_FN static constexpr int rank() { return 0; }
  EVENLY_FN static constexpr int size() { return 1; }
  EVENLY_FN int index() const { return index_; }
  EVENLY_FN int count() const { return count_; }
  EVENLY_FN static constexpr block_shape shape() { return {1, 1}; }
  EVENLY_FN void sync() const {}
  EVENLY_FN void warp_sync(lane_mask) const {}
  template <class T> EVENLY_FN T warp_shuffle(lane_mask, T value, int) const { return value; }
  EVENLY_FN lane_mask warp_ballot(lane_mask, bool predicate) const { return predicate ? 1 : 0; }
  template <class T> EVENLY_FN plain_storage<T> storage(slot<T> place) const {
    return {reinterpret_cast<T*>(storage_ + place.offset), static_cast<int>(place.count)};
  }
  EVENLY_FN void fence() const {
#if !defined(__CUDA_ARCH__)
    detail::fence_for_all();
#endif
  }
  EVENLY_FN bool co_resident() const { return co_resident_; }
  EVENLY_FN void backoff(std::uint32_t = 0) const {
#if !defined(__CUDA_ARCH__)
    check_interrupt();
    detail::yield_thread();
#endif
  }
  /// For blocks that run long: ends this block if another block has failed, or if the interrupt hook throws.
  void check_interrupt() const {
    if (failed_ && failed_->load())
      throw device_error("another block failed, and this block may be waiting for it");
    detail::check_interrupt();
  }

 private:
  int index_;
  int count_;
  std::byte* storage_;
  const std::atomic<bool>* failed_;
  bool co_resident_;
};
static_assert(thread_block<cpu_block>);

/// Runs kernels on the cores of this machine. Copies are the same executor. A launch returns when its work is done.
class cpu {
 public:
  static constexpr bool serial_blocks = true;
  static constexpr bool on_host = true;

  /// - `threads`: how many threads share the work; 0 takes the number of cores that this process may use. At most that
  ///   many run at the same time.
  ///
  /// Throws invalid_argument if `threads` is negative or `resource` is null.
  explicit cpu(int threads = 0, std::pmr::memory_resource* resource = detail::host_resource())
      : threads_(threads > 0 ? threads : detail::available_threads()), resource_(require_resource(resource)) {
    require(threads >= 0, [&] { return detail::concat("threads = ", threads, ": must not be negative"); });
  }

  int threads() const { return threads_; }
  /// Returns how many threads of a launch run at the same time.
  std::int64_t resident_threads() const { return threads_; }
  std::pmr::memory_resource* resource() const { return resource_; }
  /// The same with memory from elsewhere.
  cpu with_resource(std::pmr::memory_resource* resource) const { return cpu(threads_, resource); }
  void copy_to_host(void* to, const void* from, std::size_t bytes) const {
    if (bytes > 0) std::memcpy(to, from, bytes); // memcpy takes no null pointer, not even for 0 bytes
  }
  void copy_from_host(void* to, const void* from, std::size_t bytes) const { copy_to_host(to, from, bytes); }
  void fill_zero(void* to, std::size_t bytes) const {
    if (bytes > 0) std::memset(to, 0, bytes);
  }
  void synchronize() const {}
  host_event record() const { return {}; }
  /// Waits on the host until all work before the event is done (execution/executor.hpp).
  template <class Event> void wait(const Event& event) const { event.synchronize(); }

 private:
  int threads_;
  std::pmr::memory_resource* resource_;
};

namespace detail {

/// The first exception that any of several threads throws.
class first_failure {
 public:
  void set(std::exception_ptr why) {
    const std::lock_guard lock(guard_);
    if (!why_) why_ = std::move(why);
    failed_ = true;
  }
  const std::atomic<bool>& failed() const { return failed_; }
  void rethrow() const {
    if (why_) std::rethrow_exception(why_);
  }

 private:
  std::exception_ptr why_;
  std::mutex guard_;
  std::atomic<bool> failed_{false};
};

/// A function of an index with its type erased. The code that starts threads is then compiled once instead of once per
/// kernel.
class numbered_call {
 public:
  template <class Body>
  explicit numbered_call(const Body& body)
      : body_(&body), call_([](const void* of, int i) { (*static_cast<const Body*>(of))(i); }) {}
  void operator()(int i) const { call_(body_, i); }

 private:
  const void* body_;
  void (*call_)(const void*, int);
};

/// Calls body(i) once for every i in [0, count), all at the same time; body(0) on the calling thread. `body` must not
/// throw. If the system cannot start that many threads, records device_error in `failure` and starts no more.
EVENLY_RUNTIME_FN void call_all_at_once(int count, numbered_call body, first_failure& failure);
template <class Body> void for_each_at_once(int count, const Body& body, first_failure& failure) {
  call_all_at_once(count, numbered_call(body), failure);
}

/// Calls body(i) once for every i in [0, count), on at most `threads` threads. Rethrows the first exception of a call.
EVENLY_RUNTIME_FN void call_blocks(int threads, int count, numbered_call body);
template <class Body> void for_each_block(int threads, int count, const Body& body) {
  call_blocks(threads, count, numbered_call(body));
}

/// A kernel with its type erased.
struct cpu_job {
  const void* kernel;
  void (*call)(const void* kernel,
               cpu_block block); ///< by value: the compiler then sees that nothing else changes the block
  std::size_t bytes;             ///< of storage per block
};

EVENLY_RUNTIME_FN void run_cpu_job(const cpu& exec, const launch_shape& shape, const cpu_job& job);

} // namespace detail

/// Runs `kernel` once for each block of `shape`. Returns when all blocks are done.
///
/// - `shape.block_size` has no effect.
/// - Co-resident blocks get one operating-system thread each.
/// - Rethrows the first exception of a block. Then no more blocks start, and backoff() ends the blocks that wait.
template <class Kernel> void launch(const cpu& exec, const launch_shape& shape, const Kernel& kernel) {
  static_assert(is_kernel<Kernel>, "a kernel must be trivially copyable, because it is copied to the device");
  const auto call = [](const void* of, cpu_block block) { (*static_cast<const Kernel*>(of))(block); };
  detail::run_cpu_job(exec, shape, {&kernel, call, storage_bytes(kernel, cpu_block::shape())});
}

/// Returns how many blocks of a launch run at the same time: as many as there are threads. (Co-resident blocks all do.)
template <class Kernel> int resident_blocks(const cpu& exec, const Kernel&, int block_size) {
  check(launch_shape{.blocks = 0, .block_size = block_size});
  return exec.threads();
}

static_assert(executor<cpu>);

} // namespace evenly

#if defined(EVENLY_RUNTIME_BODIES)
#include "evenly/execution/detail/cpu_bodies.hpp"
#endif
