// SPDX-License-Identifier: Apache-2.0
// A flag by which an object that serves one call at a time, a plan or a workspace, detects a second call.
//
// Flags are tested in checked builds only: EVENLY_CHECKED is 1, or neither EVENLY_CHECKED nor NDEBUG is defined. In
// other builds setting a flag compiles to nothing. Translation units of one program may differ in this: the flag is a
// member in every build, and in_use<true> and in_use<false> are different types.
#pragma once

#include <atomic>
#include <string>

#include "evenly/core/errors.hpp"

#if !defined(EVENLY_CHECKED)
#if defined(NDEBUG)
#define EVENLY_CHECKED 0
#else
#define EVENLY_CHECKED 1
#endif
#endif

namespace evenly {

/// Whether the object that it is a member of is in use. A moved object is not in use.
class in_use_flag {
 public:
  in_use_flag() = default;
  in_use_flag(in_use_flag&&) noexcept {}
  in_use_flag& operator=(in_use_flag&&) noexcept { return *this; }

  /// Sets the flag. Returns false if it was set already. Relaxed: two threads that use one plan in turn synchronise
  /// themselves.
  bool try_acquire() { return !is_set_.exchange(true, std::memory_order_relaxed); }
  void release() { is_set_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> is_set_{false};
};

/// Sets a flag for the lifetime of this object. The flag must outlive it.
template <bool Checked> class in_use {
 public:
  /// Throws invalid_argument, naming `what`, if the flag is already set.
  in_use(in_use_flag& flag, const char* what) : flag_(flag) {
    if constexpr (Checked)
      require(flag_.try_acquire(), [&] {
        return detail::concat(
            "the ", what, " is in use by another call: it supports one call at a time, and no nested calls");
      });
  }
  in_use(const in_use&) = delete;
  in_use& operator=(const in_use&) = delete;
  ~in_use() {
    if constexpr (Checked) flag_.release();
  }

 private:
  in_use_flag& flag_;
};

} // namespace evenly
