// SPDX-License-Identifier: Apache-2.0
// What serves one call at a time, a plan or a workspace, notices a second one by a flag, which a call holds up.
//
// Flags are looked at in checked builds: where EVENLY_CHECKED is 1, or is not defined and NDEBUG is not either.
// Elsewhere holding one compiles to nothing. Units of a program may differ in this: the flags are there in any case,
// and what holds one, or returns who does, has a type or a name for each kind of build.
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

/// Whether somebody uses what it is a member of. What is moved is in use by nobody.
class in_use_flag {
 public:
  in_use_flag() = default;
  in_use_flag(in_use_flag&&) noexcept {}
  in_use_flag& operator=(in_use_flag&&) noexcept { return *this; }

  /// Whether nobody else has it up. Orders no memory: whoever hands a plan from thread to thread synchronises them.
  bool raise() { return !up_.exchange(true, std::memory_order_relaxed); }
  void lower() { up_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> up_{false};
};

/// Holds a flag up for as long as it lives; the flag must outlive it.
template <bool Checked> class in_use {
 public:
  /// Throws invalid_argument, naming `what`, if it is up already.
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
