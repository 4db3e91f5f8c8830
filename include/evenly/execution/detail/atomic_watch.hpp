// SPDX-License-Identifier: Apache-2.0
// How simt learns of accesses by code that has no block: atomic operations (execution/atomic.hpp) and counted accesses
// (trace/counted_memory.hpp). A variable of the operating-system thread names the observer. It is read only while some
// launch observes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>

#include "evenly/core/annotations.hpp"
#include "evenly/core/errors.hpp"

namespace evenly::detail {

/// The observer of each atomic access to an object: simt, if the object is an element of storage.
struct atomic_observer {
  void (*note)(const atomic_observer&, const void* object) = nullptr;
  void* thread = nullptr;
  std::int64_t element = 0;
  std::source_location where;
  bool in_view = false; ///< the object is an element of a view (execution/view.hpp)
};

/// The source location that made an atomic_ref or a counted access.
struct caller_place {
#if defined(__CUDA_ARCH__)
  EVENLY_FN constexpr caller_place() {}
#else
  constexpr caller_place(std::source_location from = std::source_location::current()) : at(from) {}
#endif
  std::source_location at;
};

enum class atomic_kind : std::uint8_t { load, store, change };

struct atomic_operation {
  const void* object;
  std::uint32_t bytes;
  atomic_kind kind;
  std::memory_order order;
  const atomic_observer& by;

  bool in_storage() const { return by.note != nullptr; }
  bool acquires() const {
    return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
  }
  bool releases() const {
    return order == std::memory_order_release || order == std::memory_order_acq_rel ||
           order == std::memory_order_seq_cst;
  }
};

/// A load or a store of `bytes` bytes, in pieces of `piece` bytes.
struct counted_access {
  const void* object;
  std::size_t bytes;
  std::uint32_t piece;
  bool writes;
  std::source_location where;
  bool in_view = false;     ///< of an element of a view (execution/view.hpp); also checked for races
  std::int64_t element = 0; ///< the index of that element
};

/// The callbacks for operations of the simulated threads that run on this operating-system thread.
struct atomic_watch {
  void (*before)(void* engine, const atomic_operation& what) = nullptr; ///< may let other threads run
  void (*after)(void* engine, const atomic_operation& what, bool changed) = nullptr;
  void (*access)(void* engine, const counted_access& what) = nullptr;
  /// Throws: a view of `count` elements has no such element.
  void (*outside)(void* engine, std::int64_t element, std::size_t count,
                  std::source_location where) = nullptr;
  void* engine = nullptr;
};

/// How many launches observe atomic operations, and how many observe counted accesses.
inline std::atomic<int> launches_that_watch{0};
inline std::atomic<int> launches_that_count{0};
inline bool atomics_are_watched() { return launches_that_watch.load(std::memory_order_relaxed) > 0; }
inline bool accesses_are_counted() { return launches_that_count.load(std::memory_order_relaxed) > 0; }

/// A fibre may resume on another operating-system thread, so the address of this variable must not be cached. Only the
/// functions below use it, and they are never inlined.
inline thread_local atomic_watch running_watch;

[[gnu::noinline]] inline void watch_atomics_by(const atomic_watch& watch) { running_watch = watch; }
[[gnu::noinline]] inline void before_atomic(const atomic_operation& what) {
  const atomic_watch watch = running_watch;
  if (watch.before) watch.before(watch.engine, what);
}
[[gnu::noinline]] inline void after_atomic(const atomic_operation& what, bool changed) {
  const atomic_watch watch = running_watch;
  if (watch.after) watch.after(watch.engine, what, changed);
}

[[gnu::noinline]] inline void note_access(const counted_access& what) {
  const atomic_watch watch = running_watch;
  if (watch.access) watch.access(watch.engine, what);
}

/// Throws because a view of `count` elements has no element `element`: a simulation_error inside a launch that is
/// observed, otherwise an invalid_argument.
[[gnu::noinline]] inline void refuse_element_of_view(std::int64_t element, std::size_t count,
                                                     std::source_location where) {
  const atomic_watch watch = running_watch;
  if (watch.outside) watch.outside(watch.engine, element, count, where);
  throw invalid_argument("element " + std::to_string(element) + " of a view of " + std::to_string(count) +
                         " elements: an index must be at least 0 and less than the size");
}

/// Keeps observation on for as long as it lives.
class wants_notice {
 public:
  wants_notice(std::atomic<int>& launches, bool wants) : launches_(launches), wants_(wants) {
    if (wants_) ++launches_;
  }
  wants_notice(const wants_notice&) = delete;
  wants_notice& operator=(const wants_notice&) = delete;
  ~wants_notice() {
    if (wants_) --launches_;
  }

 private:
  std::atomic<int>& launches_;
  bool wants_;
};

} // namespace evenly::detail
