// SPDX-License-Identifier: Apache-2.0
// Detects overlapping calls of an object that supports one call at a time, such as a plan or a workspace.
//
// Only checked builds test the flag. A build is checked if EVENLY_CHECKED is 1, or if neither EVENLY_CHECKED nor NDEBUG
// is defined. In other builds in_use compiles to nothing. Checked and unchecked translation units may be linked into
// one program: the flag is a member in both, and in_use<true> and in_use<false> are different types.
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

/// A member of the object: set while a call uses the object. A moved-to object has a clear flag.
class in_use_flag {
 public:
  in_use_flag() = default;
  in_use_flag(in_use_flag&&) noexcept {}
  in_use_flag& operator=(in_use_flag&&) noexcept { return *this; }

  /// Sets the flag. Returns whether it was clear before. The access is relaxed: threads that pass an object to each
  /// other synchronise by other means.
  bool raise() { return !up_.exchange(true, std::memory_order_relaxed); }
  /// Clears the flag.
  void lower() { up_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> up_{false};
};

/// Sets a flag in its constructor and clears it in its destructor. The flag must outlive it.
template <bool Checked> class in_use {
 public:
  /// Throws invalid_argument if the flag is already set. `what`: the name of the object in the message.
  in_use(in_use_flag& flag, const char* what) : flag_(flag) {
    if constexpr (Checked)
      require(flag_.raise(), [&] {
        return detail::concat(
            "the ", what, " is in use by another call: it supports one call at a time, and no nested calls");
      });
  }
  in_use(const in_use&) = delete;
  in_use& operator=(const in_use&) = delete;
  ~in_use() {
    if constexpr (Checked) flag_.lower();
  }

 private:
  in_use_flag& flag_;
};

} // namespace evenly
