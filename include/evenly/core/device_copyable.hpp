// SPDX-License-Identifier: Apache-2.0
// is_device_copyable: types that may be copied, byte by byte, to a kernel.
#pragma once

#include <type_traits>

#include "evenly/core/annotations.hpp"

namespace evenly {

namespace detail {

/// Whether T may be copied: it is trivially copyable, or a lambda marked EVENLY_FN. (nvcc wraps such a lambda in a type
/// that is not trivially copyable on the host.) A type with user functions as members checks each of them and declares
/// the result as `static constexpr bool is_copyable`.
template <class T>
inline constexpr bool may_be_copied = [] {
  if constexpr (requires { T::is_copyable; })
    return T::is_copyable;
#if defined(__CUDACC__)
  else if constexpr (__nv_is_extended_host_device_lambda_closure_type(T))
    return true;
#endif
  else
    return std::is_trivially_copyable_v<T>;
}();

} // namespace detail

/// Whether all of T may be copied to a kernel.
template <class... T> inline constexpr bool is_device_copyable = (detail::may_be_copied<T> && ...);

template <class T>
[[deprecated("use is_device_copyable")]] inline constexpr bool is_kernel_part = is_device_copyable<T>;

} // namespace evenly
