// SPDX-License-Identifier: Apache-2.0
// Turns failed CUDA calls into exceptions. The header is empty unless nvcc compiles it.
#pragma once

#if defined(__CUDACC__)

#include <string>

#include <cuda_runtime.h>

#include "evenly/core/errors.hpp"

namespace evenly {

/// Throws device_error with the call, the place and CUDA's message, unless `status` is success.
#define EVENLY_CUDA_CHECK(call) ::evenly::detail::cuda_check((call), #call, __FILE__, __LINE__)

namespace detail {

inline void cuda_check(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  cudaGetLastError(); // so that a later call does not report this error again
  throw device_error(std::string(call) + " failed at " + file + ":" + std::to_string(line) + ": " +
                     cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

} // namespace detail

} // namespace evenly

#endif
