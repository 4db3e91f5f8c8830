// SPDX-License-Identifier: Apache-2.0
// counted: a monoid that counts its operations if simt traces the launch, and is the plain monoid everywhere else.
#pragma once

#include <cstdint>

#include "evenly/core/annotations.hpp"
#include "evenly/core/monoid.hpp"

namespace evenly {

namespace detail {

/// The counter of the simulated thread that runs now on this operating-system thread; null if it does not count. A
/// fibre may resume on another operating-system thread, so no code may keep the address of this variable. Only the two
/// functions below access it, and they are never inlined.
inline thread_local std::int64_t* running_operations = nullptr;

[[gnu::noinline]] inline void count_operations_in(std::int64_t* operations) {
  running_operations = operations;
}
[[gnu::noinline]] inline void count_operation() {
  if (running_operations) ++*running_operations;
}

} // namespace detail

/// `op`, with each application counted as one operation of the calling thread.
template <monoid Op> struct counted {
  using value_type = typename Op::value_type;
  static constexpr bool commutative = is_commutative<Op>;

  Op op;

  EVENLY_FN value_type identity() const { return op.identity(); }
  EVENLY_FN value_type operator()(const value_type& a, const value_type& b) const {
#if !defined(__CUDA_ARCH__)
    detail::count_operation();
#endif
    return op(a, b);
  }
};
template <class Op> counted(Op) -> counted<Op>;

static_assert(monoid<counted<plus<int>>> && is_commutative<counted<plus<int>>>);

} // namespace evenly
