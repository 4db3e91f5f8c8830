// SPDX-License-Identifier: Apache-2.0
// The switch between stacks of an operating-system thread (Boost.Context's fcontext does the jump), and the
// announcements that sanitizers need. All units of a program that use simt are compiled with the same sanitizers.
#pragma once

#include <cstddef>

#include "evenly/core/annotations.hpp"

#include <boost/context/detail/fcontext.hpp>

#if defined(EVENLY_ADDRESS_SANITIZER)
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(EVENLY_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace evenly::detail {

/// A context that can be suspended: a fibre, or the operating-system thread itself.
struct context {
  boost::context::detail::fcontext_t point = nullptr; ///< where it resumes, while it is suspended
  context* goal = nullptr;                            ///< the last context that it switched to
  const void* stack = nullptr;                        ///< low end and size, for the address sanitizer
  std::size_t stack_size = 0;
  void* fake_stack = nullptr;       ///< the address sanitizer's
  void* sanitizer_thread = nullptr; ///< the thread sanitizer's
};

/// The bookkeeping after a switch. Returns the context that now runs.
inline context& arrive(boost::context::detail::transfer_t from) {
  context& before = *static_cast<context*>(from.data);
  before.point = from.fctx;
  context& now = *before.goal;
#if defined(EVENLY_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(now.fake_stack, &before.stack, &before.stack_size);
#endif
  return now;
}

/// Suspends `from`, which is running, and resumes `to`. This is the only context switch. Returns when another context
/// switches back; never if `for_good`. Must not be called inside a catch, nor while an exception unwinds.
inline void switch_context(context& from, context& to, [[maybe_unused]] bool for_good = false) {
  from.goal = &to;
#if defined(EVENLY_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(for_good ? nullptr : &from.fake_stack, to.stack, to.stack_size);
#endif
#if defined(EVENLY_THREAD_SANITIZER)
  __tsan_switch_to_fiber(to.sanitizer_thread, 0);
#endif
  arrive(boost::context::detail::jump_fcontext(to.point, &from));
}

/// Records `current` as the context that runs on this operating-system thread. Called before its first switch.
inline void adopt_current([[maybe_unused]] context& current) {
#if defined(EVENLY_THREAD_SANITIZER)
  current.sanitizer_thread = __tsan_get_current_fiber();
#endif
}

} // namespace evenly::detail
